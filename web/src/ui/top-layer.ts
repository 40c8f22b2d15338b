/** Where what lies over the page is drawn. In full screen, the browser draws only what is in that element. */
export const topLayer = {
  get current(): HTMLElement | null {
    return document.fullscreenElement instanceof HTMLElement ? document.fullscreenElement : null
  },
}
