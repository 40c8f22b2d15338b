import type { Locator } from 'playwright-core'

/** The text of an editor of JSON, also while it is a plain field. Of a long text only what is in view. */
export function textOf(editor: Locator): Promise<string> {
  return editor.evaluate((element) =>
    element instanceof HTMLTextAreaElement
      ? element.value
      : [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  )
}
