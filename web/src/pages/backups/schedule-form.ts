import type { BackupSchedule, ScheduleSettings } from '../../api/types'
import { plural } from '../../format'

/** A schedule as typed. */
export interface ScheduleForm {
  everyHours: string
  at: string
  fullEvery: string
  keepFull: string
}

export const emptySchedule: ScheduleForm = { everyHours: '24', at: '02:00', fullEvery: '7', keepFull: '4' }

export const formOfSchedule = ({ everyHours, at, fullEvery, keepFull }: BackupSchedule): ScheduleForm => ({
  everyHours: String(everyHours),
  at,
  fullEvery: String(fullEvery),
  keepFull: String(keepFull),
})

const most = { everyHours: 744, fullEvery: 100, keepFull: 1000 } as const

export function scheduleProblems(form: ScheduleForm): Partial<ScheduleForm> {
  const problems: Partial<ScheduleForm> = {}
  for (const field of ['everyHours', 'fullEvery', 'keepFull'] as const)
    if (!/^[1-9]\d{0,3}$/.test(form[field]) || Number(form[field]) > most[field])
      problems[field] = `1 to ${most[field]}`
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(form.at)) problems.at = 'A time such as 02:00'
  return problems
}

export const scheduleOf = ({ everyHours, at, fullEvery, keepFull }: ScheduleForm): ScheduleSettings => ({
  everyHours: Number(everyHours),
  at,
  fullEvery: Number(fullEvery),
  keepFull: Number(keepFull),
})

const DAY = 24

/** "every day at 02:00 UTC", "every 6 hours from 02:00 UTC" */
export function everyWords({ everyHours, at }: Pick<BackupSchedule, 'everyHours' | 'at'>): string {
  if (everyHours === DAY) return `every day at ${at} UTC`
  if (everyHours === 7 * DAY) return `every Monday at ${at} UTC`
  if (everyHours % DAY === 0) return `every ${everyHours / DAY} days at ${at} UTC`
  return everyHours === 1 ? `every hour from ${at} UTC` : `every ${everyHours} hours from ${at} UTC`
}

/** What it makes and keeps: "1 full, then 6 on it; 4 full kept". */
export function chainWords({ fullEvery, keepFull }: Pick<BackupSchedule, 'fullEvery' | 'keepFull'>): string {
  if (fullEvery === 1) return `all full; the last ${keepFull} kept`
  return `1 full, then ${fullEvery - 1} on it; ${plural(keepFull, 'chain')} kept`
}
