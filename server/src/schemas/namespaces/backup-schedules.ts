// Schedules of backups: when a namespace is backed up, and what is kept.
import { type Static, Type } from 'typebox'
import { page } from '../pages.js'
import { text, timestamp } from '../quantities.js'
import { failure } from '../failure.js'
import { BackupTarget } from './backups.js'

export const ScheduleSettings = Type.Object(
  {
    everyHours: Type.Integer({
      minimum: 1,
      maximum: 744,
      description: 'Hours from one backup to the next, 1 to 744.',
      examples: [24],
    }),
    at: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        description: 'Time of day, in UTC, from which the hours are counted, on a Monday. Default: `00:00`.',
        examples: ['02:00'],
      }),
    ),
    fullEvery: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description:
          'A full backup comes first and after each `fullEvery` backups. The others build on the one before. 1: all are full. Default: 7.',
        examples: [7],
      }),
    ),
    keepFull: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Full backups that stay, each with those that build on it. Default: 4.',
        examples: [4],
      }),
    ),
    ...BackupTarget,
  },
  {
    title: 'ScheduleSettings',
    description: 'When a namespace is backed up, and how many backups stay.',
    additionalProperties: false,
    examples: [{ everyHours: 24, at: '02:00', fullEvery: 7, keepFull: 4 }],
  },
)
export type ScheduleSettings = Static<typeof ScheduleSettings>

export const BackupSchedule = Type.Object(
  {
    ...Type.Required(Type.Omit(ScheduleSettings, ['target'])).properties,
    ...BackupTarget,
    namespace: text('Name of the namespace.'),
    nextAt: timestamp('When the next backup begins'),
    lastAt: Type.Optional(timestamp('When the last one began')),
    lastBackup: Type.Optional(text('Id of the newest backup that the schedule has made.')),
    lastFailure: Type.Optional(failure('Why the last one failed. Unset if it did not.')),
    missedAt: Type.Optional(timestamp('When a backup was due while the server did not run', 'It was made later.')),
    backups: Type.Array(text('Id of a backup.'), { description: 'What the schedule has made and kept, oldest first.' }),
  },
  {
    title: 'BackupSchedule',
    description: 'The schedule of the backups of a namespace.',
    examples: [
      {
        namespace: 'orders',
        everyHours: 24,
        at: '02:00',
        fullEvery: 7,
        keepFull: 4,
        nextAt: '2026-11-25T02:00:00.000Z',
        lastAt: '2026-11-24T02:00:00.113Z',
        lastBackup: '20261124T020000Z-9f86d081',
        backups: ['20261124T020000Z-9f86d081'],
      },
    ],
  },
)
export type BackupSchedule = Static<typeof BackupSchedule>

export const BackupSchedulePage = page(BackupSchedule, 'BackupSchedulePage', 'schedules of backups')
