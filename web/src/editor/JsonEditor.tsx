import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Fault } from '../records/json-scan'
import type { Described } from '../ui/described-by'
import { Skeleton } from '../ui/Skeleton'
import type { CodeEditor } from './code-editor'
import type { Guide } from './guide'
import { type EditorCode, loadedEditor, loadEditor } from './load'

export interface JsonEditorProps extends Described {
  id?: string
  /** the accessible name, or the id of the element that has it */
  'aria-label'?: string
  'aria-labelledby'?: string
  value: string
  onChange: (text: string) => void
  /** the least height, in lines */
  rows?: number
  placeholder?: string | undefined
  fault?: Fault | undefined
  readOnly?: boolean
  /** without numbers of lines, for a value of one line */
  plain?: boolean
  /** text has no syntax */
  kind?: 'json' | 'text'
  guide?: Guide | undefined
}

/** Longest text that waits in a plain field, characters. */
const PLAIN_MOST = 50_000

type Selection = readonly [anchor: number, head: number]

/** JSON to edit. Until its code is there, and if it cannot be loaded, it is a plain field with the same text. */
export function JsonEditor(props: JsonEditorProps) {
  const [code, setCode] = useState(loadedEditor)
  const [failed, setFailed] = useState(false)
  const [focus, setFocus] = useState<Selection>()
  const plainField = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (code !== undefined) return undefined
    let left = false
    const take = (loaded: EditorCode): void => {
      if (left) return
      const field = plainField.current
      // At once, or a focus that comes meanwhile is lost.
      flushSync(() => {
        // Who is typing goes on at the same place.
        if (field !== null && field === document.activeElement) setFocus([field.selectionStart, field.selectionEnd])
        setCode(loaded)
      })
    }
    loadEditor().then(take, () => setFailed(true))
    return () => {
      left = true
    }
  }, [code])
  if (code !== undefined) return <Mounted {...props} code={code} focus={focus} />
  // A plain field takes seconds to lay a long text out.
  if (!failed && props.value.length > PLAIN_MOST) return <Skeleton lines={6} />
  const { value, onChange, rows = 3, fault: _, plain: __, guide: ___, kind: ____, ...rest } = props
  return (
    <textarea
      {...rest}
      ref={plainField}
      className="area"
      rows={rows}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

interface MountedProps extends JsonEditorProps {
  code: EditorCode
  /** the selection of the plain field that stood here, if it had the focus */
  focus: Selection | undefined
}

function Mounted({ code, focus, ...props }: MountedProps) {
  const {
    value,
    onChange,
    rows = 3,
    placeholder = '',
    fault,
    readOnly = false,
    plain = false,
    kind = 'json',
    guide,
  } = props
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(undefined)
  /** What the editor has told and the page may not have rendered yet: a render with one of them is no change. */
  const told = useRef<string[]>([])
  const attributes = JSON.stringify(attributesOf(props))
  const now = useRef({ value, onChange, guide, attributes, readOnly, rows, placeholder, plain, kind })
  useLayoutEffect(() => {
    now.current = { value, onChange, guide, attributes, readOnly, rows, placeholder, plain, kind }
  })
  useLayoutEffect(() => {
    if (box.current === null) return undefined
    const first = now.current
    told.current = [first.value]
    const made = new code.CodeEditor(box.current, {
      text: first.value,
      attributes: readAttributes(first.attributes),
      readOnly: first.readOnly,
      rows: first.rows,
      hint: first.placeholder,
      plain: first.plain,
      json: first.kind === 'json',
      guide: () => now.current.guide,
      onText: (text) => {
        told.current.push(text)
        now.current.onChange(text)
      },
    })
    editor.current = made
    if (focus !== undefined) made.focus(focus[0], focus[1])
    return () => made.destroy()
  }, [code, focus])
  useEffect(() => {
    const at = told.current.lastIndexOf(value)
    if (at < 0) editor.current?.setText(value)
    told.current = at < 0 ? [value] : told.current.slice(at)
  }, [value])
  useEffect(() => editor.current?.setAttributes(readAttributes(attributes)), [attributes])
  useEffect(() => editor.current?.setReadOnly(readOnly), [readOnly])
  const [at, message] = [fault?.at, fault?.message]
  useEffect(() => {
    editor.current?.setFault(at === undefined || message === undefined ? undefined : { at, message })
  }, [at, message])
  return <div ref={box} className="json-editor" />
}

const readAttributes = (text: string): Record<string, string> => JSON.parse(text) as Record<string, string>

/** What the element that holds the text says to screen readers. */
function attributesOf({ id, ...props }: JsonEditorProps): Record<string, string> {
  const named = [
    ['id', id],
    ['aria-label', props['aria-label']],
    ['aria-labelledby', props['aria-labelledby']],
    ['aria-describedby', props['aria-describedby']],
    ['aria-invalid', props['aria-invalid']],
  ] as const
  return Object.fromEntries(named.flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])))
}
