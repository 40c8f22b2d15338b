import { t } from '../../language/text'

/** How fast a job works, as typed; empty: the default. */
export interface Pace {
  threads: string
  recordsPerSecond: string
}

export const emptyPace: Pace = { threads: '', recordsPerSecond: '' }

export function paceProblems({ threads, recordsPerSecond }: Pace): Partial<Pace> {
  const isThreads = /^\d{1,3}$/.test(threads) && Number(threads) >= 1 && Number(threads) <= 128
  return {
    ...(threads !== '' && !isThreads && { threads: '1 to 128' }),
    ...(recordsPerSecond !== '' &&
      !/^[1-9]\d{0,8}$/.test(recordsPerSecond) && { recordsPerSecond: t('A whole number above 0') }),
  }
}

/** The part of a request that says it. */
export const paceOf = ({ threads, recordsPerSecond }: Pace): { threads?: number; recordsPerSecond?: number } => ({
  ...(threads !== '' && { threads: Number(threads) }),
  ...(recordsPerSecond !== '' && { recordsPerSecond: Number(recordsPerSecond) }),
})
