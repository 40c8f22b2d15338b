import type { ServerSetting } from '../../api/types'
import { t } from '../../language/text'
import { ScrollTable } from '../../table/ScrollTable'
import { type Drafts, isChangeable } from './drafts'
import type { Group } from './groups'
import { ValueField } from './ValueField'
import { serverText } from '../../language/server-text'

interface Props {
  groups: readonly Group[]
  drafts: Drafts
  /** undefined: nothing can change here */
  edit: ((drafts: Drafts) => void) | undefined
  /** what the server refused, by key */
  refused: Readonly<Record<string, string>>
  other: { label: string; values: Readonly<Record<string, string>> } | undefined
}

/** The settings in groups, each with its value, its default, and what sets it. Those that can change have a field. */
export function SettingsTable({ groups, other, ...edits }: Props) {
  if (groups.length === 0) return <p className="mute">{t('No setting matches.')}</p>
  return (
    <ScrollTable label={t('Settings of the server')}>
      <thead>
        <tr>
          <th scope="col">{t('setting')}</th>
          <th scope="col">{t('value')}</th>
          <th scope="col">{t('default')}</th>
          {other !== undefined && <th scope="col">{other.label}</th>}
          <th scope="col">{t('set by')}</th>
          <th scope="col">{t('changes with')}</th>
        </tr>
      </thead>
      {groups.map(({ name, settings }) => (
        <tbody key={name} className="wrapped">
          <tr>
            <th scope="rowgroup" colSpan={other === undefined ? 5 : 6} className="group">
              {name}
            </th>
          </tr>
          {settings.map((setting) => (
            <tr key={setting.key}>
              <th scope="row">
                <code>{setting.key}</code>
                <div className="mute small plain">{serverText(setting.help)}</div>
              </th>
              <td>
                <Value setting={setting} {...edits} />
                {setting.next !== undefined && <Waiting next={setting.next} />}
              </td>
              <td className="mute">{worded(setting.default)}</td>
              {other !== undefined && <Other text={other.values[setting.key]} own={setting.value} />}
              <td className="mute">
                <Source setting={setting} />
              </td>
              <td>
                <span className={setting.live ? 'badge good' : 'badge'}>
                  {setting.live ? t('a reload') : t('a restart')}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </ScrollTable>
  )
}

const worded = (text: string): string => (text === '' ? t('unset') : text)

function Value({
  setting,
  drafts,
  edit,
  refused,
}: Pick<Props, 'drafts' | 'edit' | 'refused'> & { setting: ServerSetting }) {
  const { key, value } = setting
  if (value === undefined) return <span className="mute">{t('hidden')}</span>
  if (edit === undefined || !isChangeable(setting)) return <span className="mono">{worded(value)}</span>
  const { [key]: draft, ...others } = drafts
  return (
    <ValueField
      setting={setting}
      draft={draft}
      refused={refused[key]}
      onChange={(next) => edit(next === undefined ? others : { ...drafts, [key]: next })}
    />
  )
}

function Waiting({ next: { value, needs } }: { next: NonNullable<ServerSetting['next']> }) {
  const text = value === undefined ? t('hidden') : worded(value)
  return (
    <div className="small">
      <span className="badge warn">{t('waiting')}</span>{' '}
      {needs === 'reload'
        ? t('The file has {value}; it holds after a reload.', { value: text })
        : t('The file has {value}; it holds after a restart.', { value: text })}
    </div>
  )
}

function Source({ setting: { source, from } }: { setting: ServerSetting }) {
  if (source === 'default') return <>{t('the default')}</>
  if (source === 'file') return <>{t('the file, line {line}', { line: /:(\d+)$/.exec(from ?? '')?.[1] ?? '' })}</>
  return <code>{from}</code>
}

function Other({ text, own }: { text: string | undefined; own: string | undefined }) {
  if (text === own) return <td className="mute">{t('the same')}</td>
  return (
    <td>
      <span className="badge warn">{t('differs')}</span> {worded(text ?? '')}
    </td>
  )
}
