// The focus of a control that is gone once its page is rendered anew: it is not lost.

/** Focuses the heading of the control's section, or of the page. @param {Element | null | undefined} section @param {Element} page */
export function focusNear(section, page) {
  if (document.activeElement !== document.body) return;
  const heading = (section?.isConnected && section.querySelector("h2")) || page.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
