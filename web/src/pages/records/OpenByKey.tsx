import { useState } from 'react'
import { fitsInt64 } from '../../records/json'
import { keyTypes, type RecordKey } from '../../records/key'
import { Button } from '../../ui/Button'
import { plainChoices, Select, TextField } from '../../ui/inputs'

/** Opens a record by its key. Digits default to an integer key. */
export function OpenByKey({ disabled, onOpen }: { disabled: boolean; onOpen: (key: RecordKey) => void }) {
  const [text, setText] = useState('')
  const [type, setType] = useState<RecordKey['type'] | 'auto'>('auto')
  return (
    <form
      className="open-key"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') onOpen({ text, type: type === 'auto' ? (fitsInt64(text) ? 'integer' : 'string') : type })
      }}
    >
      <TextField label="Open by key" value={text} onChange={setText} mono placeholder="user:42" />
      <Select
        aria-label="Key type"
        value={type}
        choices={plainChoices(['auto', ...keyTypes] as const)}
        onChange={setType}
      />
      <Button type="submit" disabled={disabled || text === ''}>
        Open
      </Button>
    </form>
  )
}
