import type { BackupSchedule, ScheduleSettings } from '../../api/types'
import { t } from '../../language/text'

/** A schedule as typed. */
export interface ScheduleForm {
  everyHours: string
  at: string
  fullEvery: string
  keepFull: string
  /** Empty: the backup directory. */
  target: string
}

export const emptySchedule: ScheduleForm = { everyHours: '24', at: '02:00', fullEvery: '7', keepFull: '4', target: '' }

export const formOfSchedule = ({ everyHours, at, fullEvery, keepFull, target = '' }: BackupSchedule): ScheduleForm => ({
  everyHours: String(everyHours),
  at,
  fullEvery: String(fullEvery),
  keepFull: String(keepFull),
  target,
})

const most = { everyHours: 744, fullEvery: 100, keepFull: 1000 } as const

export function scheduleProblems(form: ScheduleForm): Partial<ScheduleForm> {
  const problems: Partial<ScheduleForm> = {}
  for (const field of ['everyHours', 'fullEvery', 'keepFull'] as const)
    if (!/^[1-9]\d{0,3}$/.test(form[field]) || Number(form[field]) > most[field])
      problems[field] = t('1 to {most}', { most: most[field] })
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(form.at)) problems.at = t('A time such as 02:00')
  return problems
}

export const scheduleOf = ({ everyHours, at, fullEvery, keepFull, target }: ScheduleForm): ScheduleSettings => ({
  everyHours: Number(everyHours),
  at,
  fullEvery: Number(fullEvery),
  keepFull: Number(keepFull),
  ...(target !== '' && { target }),
})

const DAY = 24

/** "every day at 02:00 UTC", "every 6 hours from 02:00 UTC" */
export function everyWords({ everyHours, at }: Pick<BackupSchedule, 'everyHours' | 'at'>): string {
  if (everyHours === DAY) return t('every day at {at} UTC', { at })
  if (everyHours === 7 * DAY) return t('every Monday at {at} UTC', { at })
  if (everyHours % DAY === 0) return t('every {everyHours} days at {at} UTC', { everyHours: everyHours / DAY, at })
  return everyHours === 1
    ? t('every hour from {at} UTC', { at })
    : t('every {everyHours} hours from {at} UTC', { everyHours, at })
}

/** What it makes and keeps: "1 full, then 6 on it; 4 full kept". */
export function chainWords({ fullEvery, keepFull }: Pick<BackupSchedule, 'fullEvery' | 'keepFull'>): string {
  if (fullEvery === 1) return t('all full; the last {keepFull} kept', { keepFull })
  return t('1 full, then {more} on it; {keepFull, plural, one {# chain} other {# chains}} kept', {
    more: fullEvery - 1,
    keepFull,
  })
}
