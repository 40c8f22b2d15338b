import { useState } from 'react'
import { keyTypes, type RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { plainChoices, TextField } from '../../ui/inputs'

/** Opens one record by its key. */
export function OpenByKey({ disabled, onOpen }: { disabled: boolean; onOpen: (key: RecordKey) => void }) {
  const [text, setText] = useState('')
  const [type, setType] = useState<RecordKey['type']>('string')
  return (
    <form
      className="open-key"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') onOpen({ text, type })
      }}
    >
      <TextField label="Open by key" value={text} onChange={setText} mono placeholder="user:42" />
      <select
        className="select"
        aria-label="Key type"
        value={type}
        onChange={(event) => setType(event.target.value as RecordKey['type'])}
      >
        {plainChoices(keyTypes).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Button type="submit" disabled={disabled || text === ''}>
        Open
      </Button>
    </form>
  )
}
