import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { namespacesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { allCommands, findCommands, type Command } from './commands'

/** The field of the palette, and the commands that match what is typed. */
export function CommandSearch({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const may = useMay()
  const { data } = useQuery(namespacesQuery())
  const commands = useMemo(() => allCommands(data?.items ?? [], may), [data, may])
  const found = useMemo(() => findCommands(commands, typed), [commands, typed])
  const run = (command: Command): void => {
    onDone()
    command.run((href) => void navigate({ href }))
  }
  return (
    <Autocomplete.Root
      open
      inline
      autoHighlight="always"
      keepHighlight
      items={found}
      filter={null}
      itemToStringValue={({ name }: Command) => name}
      value={typed}
      onValueChange={(next, { reason }) => {
        if (reason !== 'item-press') setTyped(next)
      }}
    >
      <Autocomplete.Input autoFocus aria-label="Command" placeholder="Go to a page, a namespace, an action…" />
      <Autocomplete.Empty className="mute nothing">No matches.</Autocomplete.Empty>
      <Autocomplete.List className="options" aria-label="Commands">
        {(command: Command) => (
          <Autocomplete.Item key={`${command.group}${command.name}`} value={command} onClick={() => run(command)}>
            <span>{command.name}</span>
            <span className="mute small">{command.group}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
