import { useQuery } from '@tanstack/react-query'
import { configRevisionsQuery, namespacesQuery } from '../../../api/queries'
import type { Choice } from '../../../ui/choice'
import { SmallSelect } from '../../../ui/inputs'
import { Switch } from '../../../ui/Switch'
import { comparedOf, type ConfigSearch } from './search'
import { t } from '../../../language/text'

interface Props {
  name: string
  search: ConfigSearch
  onChange: (part: Partial<ConfigSearch>) => void
}

/** Chooses the settings that those of the namespace are compared with. */
export function CompareControls({ name, search, onChange }: Props) {
  const revisions = useQuery(configRevisionsQuery(name)).data?.items.slice(1) ?? []
  const names =
    useQuery(namespacesQuery())
      .data?.items.map((one) => one.name)
      .filter((one) => one !== name) ?? []
  const chosen = search.with ?? ''
  const choices: Choice<string>[] = [
    { value: '', label: t('compare with nothing') },
    { value: 'defaults', label: wordsOfCompared('defaults') },
    ...(revisions.length > 0 ? [{ value: 'previous', label: wordsOfCompared('previous') }] : []),
    ...revisions.map(({ number }) => ({ value: `revision:${number}`, label: wordsOfCompared(`revision:${number}`) })),
    ...names.map((one) => ({ value: `namespace:${one}`, label: wordsOfCompared(`namespace:${one}`) })),
  ]
  const isListed = choices.some(({ value }) => value === chosen)
  return (
    <>
      <SmallSelect
        label={t('Compare with')}
        value={chosen}
        choices={isListed ? choices : [...choices, { value: chosen, label: wordsOfCompared(chosen) }]}
        onChange={(value) => onChange(value === '' ? { with: undefined, differing: undefined } : { with: value })}
      />
      {chosen !== '' && (
        <Switch
          label={t('Only what differs')}
          checked={search.differing === true}
          onChange={(on) => onChange({ differing: on || undefined })}
        >
          {t('Only what differs')}
        </Switch>
      )}
    </>
  )
}

export function wordsOfCompared(text: string): string {
  const compared = comparedOf(text)
  if (compared?.kind === 'defaults') return t('the defaults')
  if (compared?.kind === 'previous') return t('the last revision')
  if (compared?.kind === 'revision') return t('revision {number}', { number: compared.number })
  return compared?.kind === 'namespace' ? t('namespace {name}', { name: compared.name }) : 'nothing'
}
