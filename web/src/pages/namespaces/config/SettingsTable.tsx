import type { NamespaceConfig } from '../../../api/types'
import { ScrollTable } from '../../../table/ScrollTable'
import { Button } from '../../../ui/Button'
import { describedBy } from '../../../ui/described-by'
import { ErrorText } from '../../../ui/ErrorText'
import { plainChoices, Select } from '../../../ui/inputs'
import { NumberInput } from '../../../ui/NumberField'
import { groupsOf, type Row, textsOf, wordsOfGroup, wordsOfWhen } from './catalogue'
import { type Drafts, isNumberKey, type NumberKey, numbers, problemOf } from './drafts'
import { t } from '../../../language/text'

interface Props {
  name: string
  config: NamespaceConfig
  mutable: readonly string[]
  /** undefined: the caller may not change anything */
  edit: ((drafts: Drafts) => void) | undefined
  drafts: Drafts
  /** what the server refused, by field */
  refused: Readonly<Record<string, string>>
  other: { label: string; config: NamespaceConfig } | undefined
  differing: boolean
}

/** All settings in groups, each with its value, its default and its meaning. Those that can change have a field. */
export function SettingsTable({ name, config, mutable, other, differing, ...edits }: Props) {
  const others = other && textsOf(other.config)
  const isShown = ({ key, text }: Row): boolean => !differing || others === undefined || others.get(key) !== text
  const groups = groupsOf(config, mutable)
    .map(({ group, rows }) => ({ group, rows: rows.filter(isShown) }))
    .filter(({ rows }) => rows.length > 0)
  if (groups.length === 0) return <p className="mute">{t('No setting differs.')}</p>
  const columns = others === undefined ? 4 : 5
  return (
    <ScrollTable label={t('Settings of {name}', { name })}>
      <thead>
        <tr>
          <th scope="col">{t('setting')}</th>
          <th scope="col">{t('value')}</th>
          <th scope="col">{t('default')}</th>
          {other !== undefined && <th scope="col">{other.label}</th>}
          <th scope="col">{t('can be set')}</th>
        </tr>
      </thead>
      {groups.map(({ group, rows }) => (
        <tbody key={group} className="wrapped">
          <tr>
            <th scope="rowgroup" colSpan={columns} className="group">
              {wordsOfGroup(group)}
            </th>
          </tr>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                {row.label}
                <div className="mute small plain">{row.meaning}</div>
              </th>
              <td>
                <Value row={row} config={config} {...edits} />
              </td>
              <td className="mute">{row.fallback ?? t('none')}</td>
              {others !== undefined && <Other text={others.get(row.key)} own={row.text} />}
              <td>
                <span className={row.when === 'live' ? 'badge good' : 'badge'}>{wordsOfWhen(row.when)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </ScrollTable>
  )
}

function Other({ text, own }: { text: string | undefined; own: string }) {
  if (text === own) return <td className="mute">{t('the same')}</td>
  return (
    <td>
      <span className="badge warn">{t('differs')}</span> {text ?? t('unset')}
    </td>
  )
}

interface ValueProps extends Pick<Props, 'config' | 'edit' | 'drafts' | 'refused'> {
  row: Row
}

function Value({ row: { key, label, text, when }, config, edit, drafts, refused }: ValueProps) {
  if (when !== 'live' || edit === undefined || key === 'ownership') return <>{text}</>
  if (isNumberKey(key))
    return <NumberValue id={key} label={label} config={config} edit={edit} drafts={drafts} refused={refused} />
  const now = config.reads ?? 'committed'
  const reads = drafts.reads ?? now
  return (
    <div className="stack-small">
      <Select
        aria-label={label}
        value={reads}
        choices={plainChoices(['committed', 'latest'] as const)}
        onChange={(value) => edit({ ...drafts, reads: value })}
      />
      {reads !== now && <Changed was={now} label={label} onUndo={() => edit(without(drafts, 'reads'))} />}
    </div>
  )
}

interface NumberProps extends Pick<Props, 'config' | 'drafts' | 'refused'> {
  id: NumberKey
  label: string
  edit: (drafts: Drafts) => void
}

function NumberValue({ id, label, config, edit, drafts, refused }: NumberProps) {
  const { unit, words } = numbers[id]
  const now = config[id] ?? 0
  const text = drafts[id] ?? String(now)
  const problem = problemOf(drafts[id]) ?? refused[id]
  const [hintId, errorId] = [`setting-${id}-hint`, `setting-${id}-error`]
  const isChanged = drafts[id] !== undefined && drafts[id] !== String(now)
  return (
    <div className="stack-small">
      <NumberInput
        className={isChanged ? 'number changed' : 'number'}
        aria-label={t('{label}, {unit}', { label, unit })}
        {...describedBy(problem === undefined ? undefined : errorId, hintId)}
        unit={unit}
        value={text}
        onChange={(typed) => edit({ ...drafts, [id]: typed })}
      />
      <span className="mute small" id={hintId}>
        {problem === undefined ? words(Number(text)) : ''}
      </span>
      {problem !== undefined && <ErrorText id={errorId}>{problem}</ErrorText>}
      {isChanged && <Changed was={String(now)} label={label} onUndo={() => edit(without(drafts, id))} />}
    </div>
  )
}

function Changed({ was, label, onUndo }: { was: string; label: string; onUndo: () => void }) {
  return (
    <div className="row">
      <span className="mute small">{t('It was {was}.', { was })}</span>
      <Button small look="quiet" aria-label={t('Undo the edit of {label}', { label })} onClick={onUndo}>
        {t('Undo')}
      </Button>
    </div>
  )
}

function without(drafts: Drafts, key: keyof Drafts): Drafts {
  const { [key]: _, ...others } = drafts
  return others
}
