import type { DropTarget, Panel } from './layout.ts';

/** A box in pixels of the window. */
interface CellBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A card that is being dragged. */
interface Way {
  readonly panel: Panel;
  readonly x: number;
  readonly y: number;
  readonly target: DropTarget | undefined;
  /** Where it would come to. */
  readonly box: CellBox;
}

const NOWHERE: Pick<Way, 'target' | 'box'> = { target: undefined, box: { left: 0, top: 0, width: 0, height: 0 } };
/** Pixels that a pointer must go for it to be no click. */
const FAR = 6;
/** Parts of a cell from its edges that mean a column beside it, and a cell above or below. */
const SIDE = 0.12;
const EDGE = 0.3;
const NEW_COLUMN = 60;

/** Cards that are dragged by the pointer. Cells are elements with the name of their first panel as `data-cell`. */
export class CardDrag {
  way: Way | undefined = $state.raw();
  private grasped: Pick<Way, 'panel' | 'x' | 'y'> | undefined;
  private readonly hasRoom: () => boolean;
  private readonly dropped: (panel: Panel, target: DropTarget) => void;

  /** @param hasRoom whether there may be one more column */
  constructor(hasRoom: () => boolean, dropped: (panel: Panel, target: DropTarget) => void) {
    this.hasRoom = hasRoom;
    this.dropped = dropped;
  }

  grasp({ button, clientX: x, clientY: y, currentTarget, pointerId }: PointerEvent, panel: Panel): void {
    if (button !== 0) return;
    this.grasped = { panel, x, y };
    (currentTarget as HTMLElement).setPointerCapture(pointerId);
  }

  pull({ clientX: x, clientY: y }: PointerEvent): void {
    const { grasped } = this;
    if (!grasped || (!this.way && Math.hypot(x - grasped.x, y - grasped.y) < FAR)) return;
    this.way = { panel: grasped.panel, x, y, ...this.targetAt(x, y) };
  }

  release(): void {
    const { way } = this;
    this.letGo();
    if (way?.target) this.dropped(way.panel, way.target);
  }

  letGo(): void {
    this.grasped = undefined;
    this.way = undefined;
  }

  /** Near an edge of a cell a panel comes beside it, in the middle it becomes one of its tabs. */
  private targetAt(x: number, y: number): Pick<Way, 'target' | 'box'> {
    const isCell = (each: Element): each is HTMLElement =>
      each instanceof HTMLElement && each.dataset.cell !== undefined;
    const cell = document.elementsFromPoint(x, y).find(isCell);
    if (!cell) return NOWHERE;
    const { left, top, width, height } = cell.getBoundingClientRect();
    const of = cell.dataset.cell as Panel;
    const [across, down] = [(x - left) / width, (y - top) / height];
    if (this.hasRoom() && (across < SIDE || across > 1 - SIDE)) {
      const column = (cell.parentElement as HTMLElement).getBoundingClientRect();
      const side = across < SIDE ? 'left' : 'right';
      const edge = side === 'left' ? column.left : column.right - NEW_COLUMN;
      return { target: { side, of }, box: { left: edge, top: column.top, width: NEW_COLUMN, height: column.height } };
    }
    const side = down < EDGE ? 'before' : down > 1 - EDGE ? 'after' : 'tab';
    const part = side === 'tab' ? height : height / 2;
    return { target: { side, of }, box: { left, top: side === 'after' ? top + part : top, width, height: part } };
  }
}
