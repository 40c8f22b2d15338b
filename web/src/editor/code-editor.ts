import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import type { Fault } from '../records/json-scan'
import { completeJson } from './completion'
import type { Guide } from './guide'
import { theme } from './theme'

export interface EditorOptions {
  text: string
  /** name, description and validity, for screen readers */
  attributes: Record<string, string>
  readOnly: boolean
  /** the least height, in lines */
  rows: number
  hint: string
  /** without numbers of lines and folding */
  plain: boolean
  /** whether it is JSON */
  json: boolean
  guide: () => Guide | undefined
  onText: (text: string) => void
}

/** Longest text that is told at each key stroke, characters. */
const TELL_AT_ONCE = 50_000
const QUIET_MS = 200

/** Ctrl+Enter runs a query. The library's key would add a line. */
const keys = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')

/** An editor of JSON in a page. Tab leaves it. Escape closes what it has opened, and is the page's if that is nothing. */
export class CodeEditor {
  readonly #view: EditorView
  readonly #attributes = new Compartment()
  readonly #access = new Compartment()
  readonly #parent: HTMLElement
  readonly #onText: (text: string) => void
  /** whether the page does not know the text */
  #untold = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parent: HTMLElement, options: EditorOptions) {
    this.#parent = parent
    this.#onText = options.onText
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          this.#attributes.of(attributesOf(options.attributes)),
          this.#access.of(accessOf(options.readOnly)),
          options.plain ? [] : [lineNumbers(), highlightActiveLineGutter(), foldGutter(), highlightActiveLine()],
          history(),
          options.json ? [json(), bracketMatching(), closeBrackets(), completion(options.guide)] : [],
          indentUnit.of('  '),
          highlightSelectionMatches(),
          search({ top: true }),
          keymap.of([
            ...closeBracketsKeymap,
            ...keys,
            ...searchKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...completionKeymap,
          ]),
          placeholder(options.hint),
          EditorView.lineWrapping,
          EditorView.domEventHandlers({ beforeinput: typeOver }),
          theme,
          EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: `${options.rows * 1.5 * 12 + 8}px` } }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.isUserEvent(FROM_PAGE))) this.#changed()
            if (update.focusChanged) this.#tell()
          }),
        ],
      }),
    })
    parent.addEventListener('keydown', keepEscape)
    // Before the page keeps what it knows.
    addEventListener('pagehide', this.#tell, { capture: true })
  }

  /** The text of a long document takes longer to make than a key stroke may, so it is told when typing pauses. */
  #changed(): void {
    this.#untold = true
    clearTimeout(this.#timer)
    if (this.#view.state.doc.length <= TELL_AT_ONCE) this.#tell()
    else this.#timer = setTimeout(this.#tell, QUIET_MS)
  }

  readonly #tell = (): void => {
    if (!this.#untold) return
    this.#untold = false
    clearTimeout(this.#timer)
    this.#onText(this.#view.state.doc.toString())
  }

  /** Takes a text that was changed elsewhere. */
  setText(text: string): void {
    this.#untold = false
    const { doc } = this.#view.state
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, userEvent: FROM_PAGE })
  }

  setAttributes(attributes: Record<string, string>): void {
    this.#view.dispatch({ effects: this.#attributes.reconfigure(attributesOf(attributes)) })
  }

  setReadOnly(readOnly: boolean): void {
    this.#view.dispatch({ effects: this.#access.reconfigure(accessOf(readOnly)) })
  }

  /** Marks where the text is wrong. */
  setFault(fault: Fault | undefined): void {
    const { doc } = this.#view.state
    const from = Math.min(fault?.at ?? 0, doc.length)
    const to = Math.min(from + 1, doc.length)
    const all = fault === undefined ? [] : [{ from, to, severity: 'error' as const, message: fault.message }]
    this.#view.dispatch(setDiagnostics(this.#view.state, all))
  }

  /** Takes the focus, with a selection. */
  focus(anchor: number, head: number): void {
    const { length } = this.#view.state.doc
    this.#view.dispatch({ selection: { anchor: Math.min(anchor, length), head: Math.min(head, length) } })
    this.#view.focus()
  }

  destroy(): void {
    this.#tell()
    removeEventListener('pagehide', this.#tell, { capture: true })
    this.#parent.removeEventListener('keydown', keepEscape)
    this.#view.destroy()
  }
}

const completion = (guide: EditorOptions['guide']): Extension =>
  autocompletion({ override: [completeJson(guide)], icons: false })

const FROM_PAGE = 'page'

const attributesOf = (attributes: Record<string, string>): Extension => [
  EditorView.contentAttributes.of({ spellcheck: 'false', tabindex: '0', ...attributes }),
  EditorView.editorAttributes.of({ class: attributes['aria-invalid'] === 'true' ? 'wrong' : '' }),
]

const accessOf = (readOnly: boolean): Extension => [
  EditorState.readOnly.of(readOnly),
  // What cannot be changed can still be read by keyboard.
  EditorView.contentAttributes.of({ 'aria-readonly': String(readOnly) }),
]

/** Selections of more characters are typed over by the editor itself. */
const NATIVE_MOST = 1000

/** Chromium stands still for a minute when it types over a long selection of lines that are not all drawn. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { main } = view.state.selection
  if (event.inputType !== 'insertText' || event.data === null || main.to - main.from <= NATIVE_MOST) return false
  if (view.state.readOnly) return true
  event.preventDefault()
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true })
  return true
}

/** An Escape that closed a list or the search closes no dialog, too. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape' && event.defaultPrevented) event.stopPropagation()
}
