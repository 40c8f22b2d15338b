import type { KnownClusters, NamespaceConfig } from '../../../api/types'
import type { ClusterForm, NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'

type ClusterConfig = NonNullable<NamespaceConfig['storage']['cluster']>
type Copies = NonNullable<ClusterConfig['replication']>

/** The engine's defaults. */
export const clusterDefaults = {
  copies: 3,
  timeoutMs: 5000,
  inFlight: 1024,
  speculationAfterMs: 300,
  speculationMost: 2,
}
const COPIES_MOST = 64

export const emptyCluster: ClusterForm = {
  cluster: '',
  attach: false,
  copies: '',
  dataCentre: '',
  clusterReads: 'local_quorum',
  clusterWrites: 'local_quorum',
  serial: 'local',
  timeoutMs: '',
  connectTimeoutMs: '',
  inFlight: '',
  speculationAfterMs: '',
  speculationMost: '',
}

/** Why no namespace can be on a cluster, and what to do; undefined if one can. */
export function whyNoCluster({ configured, problem, items }: KnownClusters): string | undefined {
  if (!configured)
    return t(
      'This server knows no clusters. Describe yours in a JSON file, and start the server with its path in TESSERA_CLUSTERS.',
    )
  if (problem !== undefined) return t('Correct the file of clusters first: {problem}.', { problem })
  if (items.length === 0) return t('The file that TESSERA_CLUSTERS names has no clusters. Add one.')
  const [first] = items
  return items.every((item) => item.problem !== undefined)
    ? t('Correct the file of clusters first: {problem}.', { problem: first?.problem ?? '' })
    : undefined
}

/** The cluster that a new form begins with. */
export const firstCluster = ({ items }: KnownClusters): string =>
  items.find(({ problem }) => problem === undefined)?.name ?? ''

const line = /^(?<name>[A-Za-z0-9_.-]{1,63})[\s:=]+(?<copies>\d{1,2})$/

/** Copies as they are typed; undefined if they cannot be read. */
export function copiesOf(text: string): Copies | undefined {
  const within = (copies: number): boolean => copies >= 1 && copies <= COPIES_MOST
  const trimmed = text.trim()
  if (trimmed === '') return clusterDefaults.copies
  if (/^\d+$/.test(trimmed)) return within(Number(trimmed)) ? Number(trimmed) : undefined
  const centres: Record<string, number> = {}
  for (const part of trimmed.split(/[,\n]/)) {
    const { name, copies } = line.exec(part.trim())?.groups ?? {}
    if (name === undefined || Object.hasOwn(centres, name) || !within(Number(copies))) return undefined
    centres[name] = Number(copies)
  }
  return centres
}

export function clusterProblems(form: NamespaceForm): Problems {
  const whole = (text: string, least: number, most: number): boolean =>
    text === '' || (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most)
  const timeout = '100 to 600,000 ms'
  return {
    ...(form.cluster === '' && { cluster: t('Choose a cluster') }),
    ...(!form.attach &&
      copiesOf(form.copies) === undefined && { copies: t('1 to 64, or each data centre with its own: dc1 3, dc2 2') }),
    ...(!/^[A-Za-z0-9_.-]{0,63}$/.test(form.dataCentre) && {
      dataCentre: t('At most 63 letters, digits, “_”, “.” or “-”'),
    }),
    ...(!whole(form.timeoutMs, 100, 600_000) && { timeoutMs: timeout }),
    ...(!whole(form.connectTimeoutMs, 100, 600_000) && { connectTimeoutMs: timeout }),
    ...(!whole(form.inFlight, 1, 32_768) && { inFlight: '1 to 32,768' }),
    ...(!whole(form.speculationAfterMs, 1, 600_000) && { speculationAfterMs: '1 to 600,000 ms' }),
    ...(!whole(form.speculationMost, 0, 8) && { speculationMost: '0 to 8' }),
  }
}

/** Only the fields that were set; the engine has defaults for the rest. */
export function clusterSettings(form: NamespaceForm): Partial<NamespaceConfig['storage']> {
  const { cluster: name, attach, dataCentre, clusterReads, clusterWrites, serial } = form
  const replication = form.copies.trim() === '' || attach ? undefined : copiesOf(form.copies)
  const given = (key: 'timeoutMs' | 'connectTimeoutMs' | 'inFlight') => form[key] !== '' && { [key]: Number(form[key]) }
  const { speculationAfterMs: after, speculationMost: most } = form
  return {
    cluster: {
      name,
      ...(attach && { attach }),
      ...(replication !== undefined && { replication }),
      ...(dataCentre !== '' && { dataCentre }),
      ...(clusterReads !== emptyCluster.clusterReads && { reads: clusterReads }),
      ...(clusterWrites !== emptyCluster.clusterWrites && { writes: clusterWrites }),
      ...(serial !== emptyCluster.serial && { serial }),
      ...given('timeoutMs'),
      ...given('connectTimeoutMs'),
      ...given('inFlight'),
      ...((after !== '' || most !== '') && {
        speculation: {
          afterMs: after === '' ? clusterDefaults.speculationAfterMs : Number(after),
          most: most === '' ? clusterDefaults.speculationMost : Number(most),
        },
      }),
    },
  }
}

/** What copies and consistencies come to. */
export interface ClusterMeaning {
  /** Copies of a record, together. */
  copies: number
  /** Copies that answer a read, and that have a write before its answer. */
  read: number
  write: number
  /** Copies that may be away, for reads and for writes to go on. */
  readsWithout: number
  writesWithout: number
  /** Whether a read finds every write that was acknowledged before it. */
  fresh: 'everywhere' | 'local' | 'no'
}

const most = (copies: number): number => Math.floor(copies / 2) + 1

/** undefined while the copies cannot be read. */
export function clusterMeaning(form: ClusterForm): ClusterMeaning | undefined {
  const replication = copiesOf(form.copies)
  if (replication === undefined) return undefined
  const centres = typeof replication === 'number' ? { '': replication } : replication
  const all = Object.values(centres)
  const copies = all.reduce((sum, each) => sum + each, 0)
  const local = centres[form.dataCentre] ?? all[0] ?? copies
  const asked = {
    one: 1,
    local_one: 1,
    quorum: most(copies),
    local_quorum: most(local),
    each_quorum: all.reduce((sum, each) => sum + most(each), 0),
    all: copies,
  }
  const [read, wanted] = [asked[form.clusterReads], asked[form.clusterWrites]]
  // Writes of one record take turns by a majority, whatever they wait for then.
  const [turns, voters] = form.serial === 'local' ? [most(local), local] : [most(copies), copies]
  const write = Math.max(wanted, turns)
  const ofReads = form.clusterReads.startsWith('local') ? local : copies
  const left = (): number => {
    if (form.clusterWrites === 'each_quorum') return Math.min(...all.map((each) => each - most(each)))
    return (form.clusterWrites.startsWith('local') ? local : copies) - wanted
  }
  return {
    copies,
    read,
    write,
    readsWithout: ofReads - read,
    writesWithout: Math.min(left(), voters - turns),
    fresh: freshness(form, { read, wanted, copies, centres: all.length }),
  }
}

function freshness(
  { clusterReads, clusterWrites }: ClusterForm,
  { read, wanted, copies, centres }: { read: number; wanted: number; copies: number; centres: number },
): ClusterMeaning['fresh'] {
  if (centres === 1) return read + wanted > copies ? 'everywhere' : 'no'
  if (clusterReads === 'all' || clusterWrites === 'all') return 'everywhere'
  const majority = clusterReads === 'quorum' || clusterReads === 'local_quorum'
  if (majority && clusterWrites === 'each_quorum') return 'everywhere'
  if (clusterReads === 'quorum' && clusterWrites === 'quorum') return 'everywhere'
  return clusterReads === 'local_quorum' && clusterWrites === 'local_quorum' ? 'local' : 'no'
}
