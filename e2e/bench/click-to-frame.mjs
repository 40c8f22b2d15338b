/** @import { Locator, Page } from 'playwright-core' */

/**
 * Clicks, and waits for the frame that shows an element.
 * @param {Page} page @param {Locator} link @param {string} selector @returns {Promise<number>} ms from the click to the frame
 */
export async function clickToFrame(page, link, selector) {
  await page.evaluate(() => {
    document.addEventListener('click', () => Object.assign(globalThis, { from: performance.now() }), {
      capture: true,
      once: true,
    })
  })
  await link.click()
  return page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          const shown = document.querySelector(wanted)
          const { from } = /** @type {any} */ (globalThis)
          if (shown === null) requestAnimationFrame(look)
          else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)))
        }
        look()
      }),
    selector,
  )
}
