import { jsonProblem } from '../../records/bins'
import { requestBody } from '../../records/body'

export interface ScanForm {
  threads: string
  recordsPerSecond: string
  useIndex: 'auto' | 'force' | 'never'
  limit: string
  bins: string
  where: string
}

export const emptyScan: ScanForm = {
  threads: '',
  recordsPerSecond: '',
  useIndex: 'auto',
  limit: '1000',
  bins: '',
  where: '',
}

export const isThreads = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 128
const isCount = (text: string): boolean => text === '' || /^[1-9]\d{0,14}$/.test(text)

export function scanProblems(form: ScanForm): Partial<Record<keyof ScanForm, string>> {
  return {
    ...(form.threads !== '' && !isThreads(form.threads) && { threads: '1 to 128' }),
    ...(!isCount(form.recordsPerSecond) && { recordsPerSecond: 'A whole number, or empty' }),
    ...(!isCount(form.limit) && { limit: 'A whole number, or empty for all' }),
    ...(form.where.trim() !== '' && jsonProblem(form.where) !== undefined && { where: 'Not JSON' }),
  }
}

/** The scan's request as JSON text. */
export function scanBody(set: string | undefined, form: ScanForm, cpus: number): string {
  const bins = form.bins
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return requestBody(
    {
      set,
      threads: form.threads === '' ? cpus : Number(form.threads),
      recordsPerSecond: form.recordsPerSecond === '' ? undefined : Number(form.recordsPerSecond),
      bins: bins.length === 0 ? undefined : bins,
      useIndex: form.useIndex,
      limit: form.limit === '' ? undefined : Number(form.limit),
    },
    { where: form.where },
  )
}
