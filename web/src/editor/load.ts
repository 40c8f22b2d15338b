import type * as code from './code-editor'

/** The code of the editor, which is loaded when the first one is shown. */
export type EditorCode = typeof code

let loading: Promise<EditorCode> | undefined
let loaded: EditorCode | undefined

/** What has been loaded. */
export const loadedEditor = (): EditorCode | undefined => loaded

/** Loads it once. A load that failed is tried again by the next field. */
export function loadEditor(): Promise<EditorCode> {
  loading ??= import('./code-editor').then(
    (arrived) => (loaded = arrived),
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}
