import type { Migration } from '../../../api/types'
import { t } from '../../../language/text'

export interface Step {
  path: 'cut-over' | 'roll-back'
  label: string
}

export interface Ending {
  path: 'finish' | 'abandon'
  label: string
  /** What it removes. */
  words: string
}

export const tones = { copying: '', verifying: '', doubled: 'good', failed: 'bad' } as const

const finish: Ending = {
  path: 'finish',
  label: t('Finish'),
  words: t(
    'Removes the source with its files; one on a cluster stays there. The namespace cannot be rolled back any more.',
  ),
}
const abandon: Ending = {
  path: 'abandon',
  label: t('Abandon'),
  words: t(
    'Removes the target with its files, or its keyspace. The namespace goes on as if there had been no migration.',
  ),
}

/** What can be done with a migration now. */
export function nextOf({ phase, cutOver }: Pick<Migration, 'phase' | 'cutOver'>): {
  words: string
  step: Step | undefined
  ending: Ending
  resumes: boolean
} {
  const ending = cutOver ? finish : abandon
  if (phase === 'failed')
    return {
      words: cutOver
        ? t('The namespace goes on without the source. Resume to make both the same, or end the migration.')
        : t('The namespace goes on without the target. Resume to make both the same, or end the migration.'),
      step: undefined,
      ending,
      resumes: true,
    }
  if (phase !== 'doubled') {
    const words = t('Each change goes to both stores. Wait until every record is copied and compared.')
    return { words, step: undefined, ending, resumes: false }
  }
  return {
    words: cutOver
      ? t('The source follows every change. Finish to remove it, or roll back to it.')
      : t('Both stores hold the same. Cut over, and the target serves reads and decides writes.'),
    step: cutOver ? { path: 'roll-back', label: t('Roll back') } : { path: 'cut-over', label: t('Cut over') },
    ending,
    resumes: false,
  }
}
