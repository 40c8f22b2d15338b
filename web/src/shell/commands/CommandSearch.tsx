import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { namespacesQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { allCommands, type Command, findCommands, groupsOf } from './commands'
import { takeTyped } from './typed-ahead'
import { useFound } from './use-found'
import { t } from '../../language/text'

/** The field of the palette, and what it finds: pages, actions, and the things of the server. */
export function CommandSearch({ onDone }: { onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const may = useMay()
  const { data } = useQuery(namespacesQuery())
  const commands = useMemo(() => allCommands(data?.items ?? [], may), [data, may])
  const own = useMemo(() => findCommands(commands, typed), [commands, typed])
  const { commands: others, pending } = useFound(typed)
  const groups = groupsOf([...own, ...others])
  const run = (command: Command): void => {
    onDone()
    command.run((href) => void navigate({ href }))
  }
  // With the focus the field takes the next key itself.
  const takeOver = (): void => {
    const { text, isEntered } = takeTyped()
    const first = groupsOf(findCommands(commands, text))[0]?.items[0]
    if (isEntered && first !== undefined) run(first)
    else if (text !== '') setTyped(text)
  }
  return (
    <Autocomplete.Root
      open
      inline
      autoHighlight="always"
      keepHighlight
      items={groups}
      filter={null}
      itemToStringValue={({ name }: Command) => name}
      value={typed}
      onValueChange={(next, { reason }) => {
        if (reason !== 'item-press') setTyped(next)
      }}
    >
      <Autocomplete.Input
        autoFocus
        onFocus={takeOver}
        aria-label={t('Command')}
        placeholder={t('Find a page, set, record, index, job or action…')}
      />
      <Autocomplete.Empty className="mute nothing">{pending ? t('Searching…') : t('No matches.')}</Autocomplete.Empty>
      <Autocomplete.List className="options" aria-label={t('Commands')}>
        {({ value, items }: (typeof groups)[number]) => (
          <Autocomplete.Group key={value} items={items}>
            <Autocomplete.GroupLabel className="group-label">{value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={`${command.name} ${command.note ?? ''}`}
                  value={command}
                  onClick={() => run(command)}
                >
                  <span>{command.name}</span>
                  {command.note !== undefined && <span className="mute small">{command.note}</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}
