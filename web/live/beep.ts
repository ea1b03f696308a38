const SECONDS = 0.18;

/** A short tone. A browser that does not allow it stays silent. */
export function beep(): void {
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const loudness = context.createGain();
    tone.frequency.value = 880;
    loudness.gain.value = 0.15;
    tone.connect(loudness).connect(context.destination);
    tone.onended = () => void context.close();
    tone.start();
    tone.stop(context.currentTime + SECONDS);
  } catch {
    // there is no sound here
  }
}
