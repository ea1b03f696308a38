export interface MapActions {
  closer(): void;
  farther(): void;
  fit(): void;
  north(): void;
}

export function mapTools(actions: MapActions): HTMLElement {
  const tools = document.createElement('div');
  tools.className = 'map-tools';
  tools.append(
    button('+', 'zoom in', actions.closer),
    button('−', 'zoom out', actions.farther),
    button('⤢', 'show all', actions.fit),
    button('↑', 'north up', actions.north),
  );
  return tools;
}

function button(sign: string, label: string, act: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = sign;
  element.ariaLabel = label;
  element.title = label;
  element.addEventListener('click', act);
  return element;
}
