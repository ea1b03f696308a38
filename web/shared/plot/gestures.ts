/** Gestures on plots. Places are pixels from the left and top edge of the element. */
export interface GestureActions {
  /** The cursor, null where it left. */
  hover(left: number | null, top: number): void;
  /** Zoom time about a place: a factor below 1 shows less. */
  zoom(left: number, factor: number): void;
  zoomValues?(top: number, factor: number): void;
  pan?(pixels: number): void;
  /** Whether a drag moves what is shown in the place of choosing a stretch, by how much, and when it was let go. */
  isMoving?(): boolean;
  move?(pixels: number): void;
  moved?(): void;
  /** While a stretch is chosen, and when it was. */
  choosing(from: number, to: number): void;
  choose(from: number, to: number): void;
  fit(): void;
  /** Pressed and let go at one place. */
  click?(left: number): void;
}

/** Pixels from which on it is a drag and not a click. */
const DRAG = 4;
const WHEEL = 0.0016;

/** Listens to mouse, pen and fingers: wheel zooms, drag chooses, middle button or shift drags along, fingers pinch. */
export function listenGestures(element: HTMLElement, actions: GestureActions): () => void {
  const pointers = new Map<number, number>();
  let mode: 'none' | 'choose' | 'pan' | 'move' = 'none';
  let begun = 0;
  let spread = 0;
  let isOver = false;
  const hover = (left: number | null, top = 0): void => {
    isOver = left !== null;
    actions.hover(left, top);
  };
  const leftOf = (event: MouseEvent): number => event.clientX - element.getBoundingClientRect().left;
  const topOf = (event: MouseEvent): number => event.clientY - element.getBoundingClientRect().top;

  const down = (event: PointerEvent): void => {
    if (event.button > 1) return;
    pointers.set(event.pointerId, leftOf(event));
    element.setPointerCapture(event.pointerId);
    begun = leftOf(event);
    if (actions.isMoving?.() && event.button === 0 && !event.shiftKey) mode = 'move';
    else mode = event.pointerType === 'touch' || event.button === 1 || event.shiftKey ? 'pan' : 'choose';
    spread = spreadOf(pointers);
    if (event.button === 1) event.preventDefault();
  };
  const move = (event: PointerEvent): void => {
    const left = leftOf(event);
    if (event.pointerType !== 'touch' || pointers.size === 0) hover(left, topOf(event));
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    pointers.set(event.pointerId, left);
    if (pointers.size > 1) {
      const now = spreadOf(pointers);
      if (spread > 0 && now > 0) actions.zoom(middleOf(pointers), spread / now);
      spread = now;
    } else if (mode === 'move') {
      actions.move?.(left - before);
    } else if (mode === 'pan') {
      actions.pan?.(left - before);
    } else if (Math.abs(left - begun) > DRAG) {
      actions.choosing(Math.min(begun, left), Math.max(begun, left));
    }
  };
  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    const left = leftOf(event);
    if (mode === 'move') actions.moved?.();
    if (mode === 'choose' && Math.abs(left - begun) > DRAG && event.type === 'pointerup')
      actions.choose(Math.min(begun, left), Math.max(begun, left));
    else {
      hover(left, topOf(event));
      if (event.type === 'pointerup' && Math.abs(left - begun) <= DRAG) actions.click?.(left);
    }
    mode = pointers.size > 0 ? 'pan' : 'none';
  };
  const leave = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse' && pointers.size === 0) hover(null);
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    // shift turns the wheel sideways in some browsers
    const turned = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
    const factor = Math.exp(Math.max(-400, Math.min(400, turned)) * WHEEL);
    if (event.shiftKey) actions.zoomValues?.(topOf(event), factor);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) actions.pan?.(-event.deltaX);
    else actions.zoom(leftOf(event), factor);
  };
  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', move, { signal });
  element.addEventListener('pointerup', up, { signal });
  element.addEventListener('pointercancel', up, { signal });
  element.addEventListener('pointerleave', leave, { signal });
  element.addEventListener('wheel', wheel, { signal, passive: false });
  element.addEventListener('dblclick', () => actions.fit(), { signal });
  return () => {
    // an element that is removed under the pointer gets no pointerleave
    if (isOver) hover(null);
    listening.abort();
  };
}

function spreadOf(pointers: ReadonlyMap<number, number>): number {
  const all = [...pointers.values()];
  return Math.max(...all) - Math.min(...all);
}

function middleOf(pointers: ReadonlyMap<number, number>): number {
  return [...pointers.values()].reduce((sum, left) => sum + left, 0) / pointers.size;
}
