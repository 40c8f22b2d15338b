// What this server is: versions, licences, how long it took to start, and what its gateway adds to requests.
import { type Static, Type } from 'typebox'
import { startParts } from '../../start-clock.js'
import { count, milliseconds, number, seconds, text, timestamp } from '../quantities.js'
import { choice } from '../words.js'
import { histogram } from './metrics.js'

const StartTimes = Type.Object(
  {
    totalMs: milliseconds('From the start of the process until it listened'),
    parts: Type.Array(
      Type.Object({
        part: choice([...startParts], {
          description:
            '`runtime`: Node.js, up to the first line of the gateway. `code`: loading the code of gateway and engine. ' +
            '`settings`: reading settings, token and provider. `engine`: opening the storage engine. ' +
            '`routes`: declaring the API and finding the files of the console. `listen`: taking the port.',
        }),
        ms: milliseconds('How long it took'),
      }),
      { description: 'The parts of `totalMs`, in their order.' },
    ),
    recoveryMs: Type.Optional(
      milliseconds('From then until no namespace recovered', 'Unset: none did, or one still does.'),
    ),
  },
  { description: 'How long the last start took.' },
)

const { sumSquaresNs: _squares, maxNs: _max, ...counts } = histogram

const AddedLatency = Type.Object(
  {
    seconds: seconds('Time that the counts are of: the last 5 minutes, or since the start'),
    p50Ms: Type.Optional(milliseconds('Median', 'Unset without requests.')),
    p99Ms: Type.Optional(milliseconds('99th percentile', 'Unset without requests; sure from 1,000 on.')),
    ...counts,
    count: count('Requests.'),
    sumNs: number('Sum of the added times, in nanoseconds.'),
  },
  {
    description:
      'What the gateway adds to requests for records by key, one or in batches: the time from their head to the last byte of ' +
      'the answer, less the time in the engine. Times of clients that send or read slowly are in it.',
  },
)

export const About = Type.Object(
  {
    version: text('Version of the gateway.'),
    coreVersion: text('Version of the storage engine.'),
    nodeVersion: text('Version of Node.js.'),
    platform: text('Operating system and processor.'),
    licence: text('Licence of Tessera, as an SPDX expression.'),
    startedAt: timestamp('When the server started'),
    start: Type.Optional(StartTimes),
    added: AddedLatency,
  },
  {
    title: 'About',
    description: 'What this server is, how long its start took, and what its gateway adds to requests.',
    examples: [
      {
        version: '0.1.0',
        coreVersion: '0.1.0',
        nodeVersion: '20.20.0',
        platform: 'linux x64',
        licence: 'Apache-2.0',
        startedAt: '2026-11-24T15:35:27.503Z',
        start: {
          totalMs: 640.5,
          parts: [
            { part: 'runtime', ms: 60.5 },
            { part: 'code', ms: 340 },
            { part: 'settings', ms: 10 },
            { part: 'engine', ms: 50 },
            { part: 'routes', ms: 170 },
            { part: 'listen', ms: 10 },
          ],
        },
        added: {
          seconds: 300,
          p50Ms: 0.06,
          p99Ms: 0.062,
          count: 2,
          sumNs: 118_000,
          overflow: 0,
          slo: [0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
          buckets: [138, 1, 142, 1],
        },
      },
    ],
  },
)
export type About = Static<typeof About>

export const LicenceList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        name: text('Name of the package or crate.'),
        version: text('Its version.'),
        licence: text('Its licence, as an SPDX expression.'),
        source: choice(['npm', 'crates.io'], { description: 'The registry that it comes from.' }),
      }),
      { description: 'The parts, by registry and name.' },
    ),
  },
  {
    title: 'LicenceList',
    description: 'What Tessera is made with: the packages and crates that users get, with their licences.',
    examples: [{ items: [{ name: 'fastify', version: '5.12.8', licence: 'MIT', source: 'npm' }] }],
  },
)
export type LicenceList = Static<typeof LicenceList>
