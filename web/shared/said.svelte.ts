/** A text that says what was done, for a few seconds. */
export class Said {
  text: string = $state('');
  private readonly seconds: number;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(seconds = 4) {
    this.seconds = seconds;
  }

  say(text: string): void {
    this.text = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.text = ''), this.seconds * 1000);
  }
}
