// GET /api/v1/about and /licences: what this server is, and what it is made with.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { App } from '../../../app-types.js'
import { histogramOf, quantileOf } from '../../../live/added.js'
import { About, LicenceList } from '../../../schemas/server/about.js'
import { startTimes } from '../../../start-clock.js'

const NANOS_PER_MS = 1e6
const LICENCE = 'Apache-2.0'
/** The folder of the gateway, in the repository and in its package. */
const folder = new URL('../../../../', import.meta.url)
const tags = ['status']

export function aboutRoutes(app: App): void {
  const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string }

  app.get(
    '/about',
    {
      schema: {
        operationId: 'getAbout',
        tags,
        summary: 'Show versions, start and added latency',
        description:
          'Answers versions, how long the last start took and by what part, and what the gateway adds to requests.',
        response: { 200: About },
      },
    },
    async ({ engine }) => {
      const { version: coreVersion, startedAt } = await engine.status()
      const start = startTimes()
      const { seconds, counts } = app.addedLately.last()
      const added = histogramOf(counts)
      const [p50, p99] = [quantileOf(added, 0.5), quantileOf(added, 0.99)]
      return {
        version,
        coreVersion,
        nodeVersion: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
        licence: LICENCE,
        startedAt,
        ...(start !== undefined && { start }),
        added: {
          seconds,
          ...(p50 !== undefined && { p50Ms: p50 / NANOS_PER_MS }),
          ...(p99 !== undefined && { p99Ms: p99 / NANOS_PER_MS }),
          ...added,
        },
      }
    },
  )

  app.get(
    '/licences',
    {
      schema: {
        operationId: 'listLicences',
        tags,
        summary: 'List the licences of all parts',
        description: 'Answers each package and crate that is in this server and its console, with its licence.',
        response: { 200: LicenceList },
      },
    },
    async () => JSON.parse(await readFile(new URL('licences.json', folder), 'utf8')) as LicenceList,
  )
}
