import { useState } from 'react'
import { partsOf, type SchemaPart, typeWords } from './schema-words'
import { t } from '../../language/text'

interface Props {
  document: unknown
  schema: unknown
}

/** A type and its parts. The parts of a part are read when it is opened, because a type may have itself as a part. */
export function SchemaTree({ document, schema }: Props) {
  const parts = partsOf(document, schema)
  if (parts.length === 0) return <p className="mute small">{typeWords(document, schema)}</p>
  return (
    <ul className="schema-tree">
      {parts.map((part, at) => (
        <li key={`${part.name} ${at}`}>
          <Part document={document} part={part} />
        </li>
      ))}
    </ul>
  )
}

function Part({ document, part }: { document: unknown; part: SchemaPart }) {
  const [open, setOpen] = useState(false)
  const words = (
    <>
      <code>{part.name}</code> <span className="mute">{part.words}</span>
      {part.required && <span className="badge">{t('required')}</span>}
    </>
  )
  const told = part.description !== '' && (
    <p className="mute small" lang="en">
      {part.description}
    </p>
  )
  if (partsOf(document, part.schema).length === 0) {
    return (
      <>
        {words}
        {told}
      </>
    )
  }
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words}</summary>
      {told}
      {open && <SchemaTree document={document} schema={part.schema} />}
    </details>
  )
}
