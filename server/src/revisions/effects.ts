// What a change of a setting does to records and requests, as far as the engine knows, in whole sentences.
import type { PlannedChange } from '../schemas/namespaces/changes.js'
import type { Namespace } from '../schemas/namespaces/namespaces.js'
import type { Amount } from '../sentences/amount.js'
import { say, type Sentence } from '../sentences/sentence.js'
import type { SettingChange } from './changes.js'

type Effect = (namespace: Namespace, from: unknown, to: unknown) => Sentence

/** What counts against the limits, in percent; undefined: there is no limit. */
function usedPercent({ limits }: Namespace): number | undefined {
  const limit = limits?.capacityBytes ?? limits?.sharedLimitBytes ?? 0
  const used = limits?.capacityBytes === undefined ? limits?.sharedUsedBytes : limits.usedBytes
  return limit === 0 || used === undefined ? undefined : (used / limit) * 100
}

const shown = (percent: number): Amount => ({ amount: percent, unit: 'percent', decimals: percent < 10 ? 1 : 0 })

const EFFECTS: Readonly<Record<string, Effect>> = {
  defaultTtlSeconds: (_namespace, _from, to) =>
    to === 0
      ? say('Records that are written from now on never expire, unless they set a time. Stored records keep theirs.')
      : say('Records that are written from now on get this time to live. Stored records keep theirs.'),
  maxRecordBytes: (_namespace, from, to) =>
    Number(to) < Number(from)
      ? say('Larger writes are refused from now on. Stored records stay, whatever their size.')
      : say('Larger records are accepted from now on. Nothing stored changes.'),
  stopWritesPercent: (namespace, _from, to) => {
    const used = usedPercent(namespace)
    if (used === undefined) return say('It has no effect while the namespace has no limit of its size.')
    if (used >= Number(to))
      return say('Writes that add data are refused at once, because {used} is in use.', { used: shown(used) })
    return say('Writes that add data are refused from this share on. {used} is in use now.', { used: shown(used) })
  },
  evictAtPercent: (namespace, _from, to) => {
    const used = usedPercent(namespace)
    if (to === 0) return say('No record is removed before it expires.')
    if (used === undefined) return say('It has no effect while the namespace has no limit of its size.')
    if (used > Number(to))
      return say(
        'Records that would expire are removed from now on, because {used} is in use. They do not come back.',
        { used: shown(used) },
      )
    return say('Records that would expire are removed early from this share on. {used} is in use now.', {
      used: shown(used),
    })
  },
  reads: (_namespace, _from, to) =>
    to === 'latest'
      ? say('Reads never wait for the disk. They may show a write that a crash takes back.')
      : say('A read of a record that is being written waits for its flush.'),
  ownership: (_namespace, _from, to) =>
    to === undefined || to === null
      ? say('This node owns every segment, so scans and counts cover all records. No record moves.')
      : say('Scans, counts and exports cover the segments that this node is the primary owner of. No record moves.'),
}

const ELSEWHERE = {
  migration: say('A migration copies all records into a new store with this setting. Start one with POST …/migrate.'),
  creation: say('Only a new namespace can have it. Copy the records there with an export and an import.'),
} as const

export function effectOf(
  namespace: Namespace,
  { field, from, to }: SettingChange,
  applies: PlannedChange['applies'],
): Sentence {
  if (applies !== 'at_once') return ELSEWHERE[applies]
  return EFFECTS[field]?.(namespace, from, to) ?? say('It holds from now on.')
}
