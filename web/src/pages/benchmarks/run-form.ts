import type { WorkloadSpec } from '../../api/types'
import { t } from '../../language/text'
import { count } from '../../format'

/** The YCSB workloads. LOAD writes every record; the others need these records. */
export type Ycsb = 'LOAD' | 'A' | 'B' | 'C' | 'D' | 'E' | 'F'

/** The form of a run as it is typed. */
export interface RunForm {
  name: string
  set: string
  insert: boolean
  /** A YCSB workload by its letter; '' for a mix of reads and writes. */
  ycsb: '' | Ycsb
  reads: string
  object: string
  bins: string
  keys: string
  threads: string
  window: string
  targetTps: string
  durationSeconds: string
  fill: boolean
}

export const emptyForm: RunForm = {
  name: '',
  set: 'bench',
  insert: false,
  ycsb: '',
  reads: '95',
  object: 'B:1000',
  bins: '1',
  keys: '100000',
  threads: '16',
  window: '1',
  targetTps: '',
  durationSeconds: '10',
  fill: true,
}

export interface Preset {
  label: string
  says: string
  form: Partial<RunForm>
}

export const presets: readonly Preset[] = [
  { label: '95/5', says: t('95% reads of 1 KB records, no rate limit'), form: {} },
  { label: '50/50', says: t('half reads, half writes'), form: { reads: '50' } },
  { label: t('Read only'), says: t('point reads'), form: { reads: '100' } },
  { label: t('Insert'), says: t('every key once'), form: { insert: true, fill: false, durationSeconds: '60' } },
  {
    label: t('Steady 10 k/s'),
    says: t('open loop: latency from the scheduled start of each operation'),
    form: { targetTps: '10000' },
  },
]

const ycsbSays: Record<Ycsb, string> = {
  LOAD: t('writes every record once'),
  A: t('50% reads, 50% updates, zipfian'),
  B: t('95% reads, 5% updates, zipfian'),
  C: t('reads only, zipfian'),
  D: t('95% reads of the latest records, 5% inserts'),
  E: t('95% scans of up to 100 records, 5% inserts'),
  F: t('50% reads, 50% read-modify-writes, zipfian'),
}

/** YCSB workloads with YCSB's records: ten fields of 100 bytes. All but the load need its records. */
export const ycsbPresets: readonly Preset[] = (Object.keys(ycsbSays) as Ycsb[]).map((ycsb) => ({
  label: ycsb === 'LOAD' ? t('Load') : ycsb,
  says: ycsbSays[ycsb],
  form: {
    ycsb,
    set: 'usertable',
    object: 'S:100',
    bins: '10',
    fill: false,
    durationSeconds: ycsb === 'LOAD' ? '600' : emptyForm.durationSeconds,
  },
}))

/** What a workload of YCSB does, in words. */
export const ycsbWords = (ycsb: Ycsb): string => ycsbSays[ycsb]

/** Whether the run writes every record once, and then ends. */
export const isLoad = ({ insert, ycsb }: RunForm): boolean => insert || ycsb === 'LOAD'

interface Bound {
  field: keyof RunForm
  least: number
  most: number
  optional?: boolean
}

const bounds: readonly Bound[] = [
  { field: 'reads', least: 0, most: 100 },
  { field: 'bins', least: 1, most: 4096 },
  { field: 'keys', least: 1, most: 9_999_999_999 },
  { field: 'threads', least: 1, most: 1024 },
  { field: 'window', least: 1, most: 256 },
  { field: 'targetTps', least: 1, most: 100_000_000, optional: true },
  { field: 'durationSeconds', least: 1, most: 3600 },
]

/** Problems by field; the server checks everything again. */
export function formFaults(form: RunForm): Partial<Record<keyof RunForm, string>> {
  const faults: Partial<Record<keyof RunForm, string>> = {}
  for (const { field, least, most, optional = false } of bounds) {
    const text = String(form[field]).trim()
    const value = Number(text)
    if (text === '' ? !optional : !Number.isInteger(value) || value < least || value > most)
      faults[field] = t('{value} to {value2}', {
        value: count(least),
        value2: count(most),
      })
  }
  if (!/^(I|[SB]:\d{1,7})(,(I|[SB]:\d{1,7})){0,63}$/.test(form.object))
    faults.object = t('Enter I, S:bytes or B:bytes, or several with commas')
  return faults
}

function mixOf({ ycsb, insert, reads }: RunForm): string {
  if (ycsb !== '') return `YCSB,${ycsb}`
  return insert ? 'I' : `RU,${reads}`
}

export function specOf(namespace: string, form: RunForm): WorkloadSpec {
  return {
    ...(form.name.trim() !== '' && { name: form.name.trim() }),
    namespace,
    set: form.set,
    workload: mixOf(form),
    object: form.object,
    bins: Number(form.bins),
    keys: Number(form.keys),
    threads: Number(form.threads),
    window: Number(form.window),
    ...(form.targetTps.trim() !== '' && { targetTps: Number(form.targetTps) }),
    durationSeconds: Number(form.durationSeconds),
    ...(!isLoad(form) && form.fill && { fill: true }),
  }
}
