// The settings of the server: what holds, changes and revisions.
import { type Static, Type } from 'typebox'
import { groups } from '../../config/groups.js'
import { SettingChange } from '../namespaces/changes.js'
import { revisionFacts } from '../namespaces/revisions.js'
import { page } from '../pages.js'
import { flag, text } from '../quantities.js'
import { Said } from '../sentence.js'
import { choice, Reason } from '../words.js'

/** Most settings in a request. There are fewer. */
const SETTINGS_MAX = 128
const VALUE_MAX = 8192
const ITEMS_MAX = 256

const key = text('The setting, as the configuration file has it.')

const Form = Type.Object(
  {
    kind: choice(['text', 'flag', 'integer', 'duration', 'choice', 'list'], {
      description:
        '`flag`: `true` or `false`. `integer`: a whole number. `duration`: a number with `ms`, `s`, `m` or `h`. ' +
        '`choice`: one of `words`. `list`: texts with `separator` between them. `text`: any other.',
    }),
    min: Type.Optional(Type.Integer({ description: 'Least value; of a duration in milliseconds.' })),
    max: Type.Optional(Type.Integer({ description: 'Largest value; of a duration in milliseconds.' })),
    unit: Type.Optional(choice(['bytes', 'days', 'milliseconds'], { description: 'Unit of an integer. Unset: none.' })),
    words: Type.Optional(Type.Array(Type.String(), { description: 'The choices.' })),
    separator: Type.Optional(text('What separates the items of a list.')),
  },
  { description: 'What the value looks like. A few settings also take `auto` or `forever`: `help` says so.' },
)

const settingExample = {
  key: 'streams',
  group: 'limits' as const,
  help: 'maximum number of open scans, queries, streams and exports; more are refused',
  variable: 'TESSERA_STREAMS',
  form: { kind: 'integer' as const, min: 1, max: 100_000 },
  value: '64',
  default: '128',
  source: 'file' as const,
  from: '/etc/tessera.json:4',
  live: true,
  secret: false,
}

export const ServerSetting = Type.Object(
  {
    key,
    group: choice([...groups], { description: 'What it belongs to.' }),
    help: text('What it does, in a sentence.'),
    variable: text('The variable that sets it.'),
    flag: Type.Optional(text('The flag that sets it, if there is one.')),
    form: Form,
    value: Type.Optional(text('What holds, as the variable would have it. Empty: unset. Missing: it is a secret.')),
    default: text('What holds if nothing sets it. Empty: unset.'),
    source: choice(['flag', 'variable', 'file', 'default'], {
      description:
        'What sets it. A flag wins over a variable, a variable over the file, and the file over the default.',
    }),
    from: Type.Optional(text('The flag, the variable, or the file with the line. Unset: the default holds.')),
    live: flag('Whether a reload takes it. Only such settings can change here. Others need a restart.'),
    secret: flag('Whether its value is hidden.'),
    next: Type.Optional(
      Type.Object(
        {
          value: Type.Optional(text('The value. Missing: it is a secret.')),
          needs: choice(['reload', 'restart'], { description: 'What makes it hold.' }),
        },
        { description: 'What the file sets by now. Unset: the same as what holds.' },
      ),
    ),
  },
  {
    title: 'ServerSetting',
    description: 'A setting of the server.',
    examples: [settingExample],
  },
)
export type ServerSetting = Static<typeof ServerSetting>

export const PlannedSetting = Type.Object(
  {
    ...SettingChange.properties,
    applies: choice(['at_once', 'restart', 'overridden'], {
      description:
        '`at_once`: it holds as soon as it is changed. `restart`: only a restart changes it, so it stays as it is. ' +
        '`overridden`: a flag or a variable sets it, so it stays as it is.',
    }),
    effect: text('What it does, in a few sentences.'),
    said: Said,
  },
  {
    title: 'PlannedSetting',
    description: 'A setting of the server that a change would change, or has changed.',
    examples: [
      {
        field: 'streams',
        from: '128',
        to: '64',
        applies: 'at_once',
        effect: 'Maximum number of open scans, queries, streams and exports; more are refused. It holds at once.',
      },
    ],
  },
)
export type PlannedSetting = Static<typeof PlannedSetting>

export const ServerConfig = Type.Object(
  {
    file: Type.Optional(
      Type.Object(
        {
          path: text('Its path.'),
          changed: flag('Whether somebody has changed it since the server took it over. Changes are refused then.'),
          writable: flag('Whether the server may write it.'),
          fault: Type.Optional(text('Why it cannot be taken over as it is now. Unset: it can.')),
          said: Said,
        },
        { description: 'The configuration file. Unset: none is used, and nothing can change here.' },
      ),
    ),
    settings: Type.Array(ServerSetting, { description: 'All settings.' }),
    changes: Type.Optional(
      Type.Array(PlannedSetting, {
        description: 'What the call has changed, or would change. Unset: it changes nothing.',
      }),
    ),
  },
  {
    title: 'ServerConfig',
    description: 'The settings of the server, and the file that they come from.',
    examples: [
      {
        file: { path: '/etc/tessera.json', changed: false, writable: true },
        settings: [settingExample],
      },
    ],
  },
)
export type ServerConfig = Static<typeof ServerConfig>

const SettingValue = Type.Union([
  Type.String({ maxLength: VALUE_MAX }),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String({ maxLength: VALUE_MAX }), { maxItems: ITEMS_MAX }),
  Type.Null(),
])
export type SettingValue = Static<typeof SettingValue>

export const ServerConfigPatch = Type.Object(
  {
    settings: Type.Record(Type.String(), SettingValue, {
      minProperties: 1,
      maxProperties: SETTINGS_MAX,
      description: 'New values by key, as the file has them. Null: the file sets it no more. What is left out stays.',
    }),
    reason: Reason,
  },
  {
    title: 'ServerConfigPatch',
    description: 'New values of settings, and why.',
    additionalProperties: false,
    examples: [{ settings: { streams: 64, logLevel: 'debug', importPatience: null }, reason: 'Too many exports.' }],
  },
)

export const ReloadReport = Type.Object(
  {
    changes: Type.Array(SettingChange, { description: 'What holds from now on.' }),
    needRestart: Type.Array(Type.String(), { description: 'Settings that differ too, and need a restart.' }),
  },
  {
    title: 'ReloadReport',
    description: 'What a reload has changed.',
    examples: [{ changes: [{ field: 'streams', from: '128', to: '64' }], needRestart: ['port'] }],
  },
)
export type ReloadReport = Static<typeof ReloadReport>

const serverFacts = {
  ...revisionFacts,
  who: text(
    'Who made it, as in the audit log. `start`: a start of the server found it. `signal`: a reload by `SIGHUP` found it.',
  ),
  cause: choice(['created', 'changed', 'restored', 'found', 'migrated'], {
    description:
      '`created`: it is the first one. `changed`: somebody changed settings. `restored`: somebody rolled back to an older ' +
      'revision. `found`: a start or a reload found other values. `migrated` is for namespaces.',
  }),
}

const example = {
  number: 3,
  at: '2026-11-29T10:15:00.000Z',
  who: 'user:ada',
  cause: 'changed' as const,
  reason: 'Too many exports.',
  request: '2db83d97-1',
  changes: [{ field: 'streams', from: '128', to: '64' }],
}

export const ServerRevision = Type.Object(serverFacts, {
  title: 'ServerRevision',
  description: 'A revision of the settings of the server, without those that did not change.',
  examples: [example],
})
export type ServerRevision = Static<typeof ServerRevision>

export const WholeServerRevision = Type.Object(
  {
    ...serverFacts,
    settings: Type.Record(Type.String(), Type.String(), {
      description: 'All settings by key, without secrets, as their variables would have them.',
    }),
  },
  {
    title: 'WholeServerRevision',
    description: 'A revision of the settings of the server, with all of them.',
    examples: [{ ...example, settings: { streams: '64', logLevel: 'info' } }],
  },
)

export const ServerRevisionPage = page(ServerRevision, 'ServerRevisionPage', 'revisions, newest first')
