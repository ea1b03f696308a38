import type { Attachment } from 'svelte/attachments';

/** Puts what draws itself into an element, for as long as that is there. */
export function into(part: { readonly element: HTMLElement; destroy(): void }): Attachment {
  return (host) => {
    host.append(part.element);
    return () => part.destroy();
  };
}

/** Acts when an element comes into view: each time that it does, if it is attached again. */
export function whenSeen(act: () => void): Attachment {
  return (element) => {
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      act();
    });
    seen.observe(element);
    return () => seen.disconnect();
  };
}

/** For a form that the page itself answers. */
export function submitted(act: () => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}
