// The diagnostics, one part a line.
import { type Static, Type } from 'typebox'
import { choice } from '../words.js'

export const diagnosticParts = ['about', 'settings', 'status', 'namespace', 'job', 'slow', 'metrics', 'log'] as const

export const DiagnosticPart = Type.Object(
  {
    part: choice([...diagnosticParts], {
      description:
        '`about`: versions. `settings`: the configuration without secrets. `status`: as `GET /api/v1/status`. ' +
        '`namespace`: its configuration and state. `job`, `slow`: without parameters, keys, filters and results. ' +
        '`metrics`: as `GET /metrics`. `log`: one of the last lines of the log.',
    }),
  },
  {
    additionalProperties: true,
    title: 'DiagnosticPart',
    description: 'A part of the diagnostics. Its other fields depend on `part`.',
    examples: [{ part: 'about', format: 1, createdAt: '2026-01-31T12:00:00.000Z', version: '0.1.0', node: '20.19.0' }],
  },
)
export type DiagnosticPart = Static<typeof DiagnosticPart>
