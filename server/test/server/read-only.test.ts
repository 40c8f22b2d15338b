// A read-only server refuses what changes something, each operation of the API; the rest goes on.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reloadConfig } from '../../src/config/reload.js'
import { everyRoute, type Route } from '../auth/every-route.js'
import { useGateway } from '../gateway.js'
import { makeDocument, operationsOf } from '../openapi/document.js'

/** These change nothing, although their methods may. */
const STILL = [
  'abortJob analyzeQuery beginSecondFactor compareWorkloads compatibleBatch compatibleQueryNamespace compatibleQueryPartitions compatibleQuerySet',
  'compatibleQuerySetPartitions confirmSecondFactor createLogin endProviderSessions endSession info infoNode logout operateRead operateReadSet operateV2Read',
  'operateV2ReadSet planCapacity query readRecords readRecordsWithoutSet redeemLogin reloadServerConfig',
  'removeSecondFactor resumeBackup',
  'sampleEvents scan setOpenQueries startBackup startJob stream testAlertRule updateJob verifyAudit verifyBackup',
].flatMap((line) => line.split(' '))

const isRead = ({ method }: Route): boolean => method === 'GET' || method === 'HEAD'
const lineOf = ({ method, url }: Route): string => `${method} ${url.replaceAll(/:\w+/g, 'x')}`
const isRefusal = (text: string): boolean => text.includes('this server is read-only')

describe('a read-only server', () => {
  const gateway = useGateway({ readOnly: true })

  test('refuses each operation that the document says changes something', async () => {
    const { send, app } = gateway()
    const documented = operationsOf(await makeDocument()).filter(({ 'x-changes': changes }) => changes === true)
    const changing = new Set(documented.map(({ operationId }) => operationId))
    const routes = (await everyRoute()).filter(({ operation }) => changing.has(operation))
    expect(routes.length).toBeGreaterThan(70)
    for (const route of routes) {
      const answer = await send(lineOf(route), { headers: { 'x-confirm': 'x' } })
      expect([answer.status, isRefusal(answer.text)], `${route.operation}: ${answer.text}`).toEqual([403, true])
    }
    expect(app.engine.namespaceNames()).toEqual([])
    const refused = await send('DELETE /api/v1/namespaces/x')
    expect(refused.json()).toMatchObject({ code: 'server_read_only', status: 403, retryable: false })
  })

  test('lets every other operation through', async () => {
    const changing = new Set(
      operationsOf(await makeDocument())
        .filter(({ 'x-changes': changes }) => changes === true)
        .map(({ operationId }) => operationId),
    )
    const still = (await everyRoute()).filter((route) => !isRead(route) && !changing.has(route.operation))
    const names = [...new Set(still.map(({ operation }) => operation))]
    expect(names.filter((name) => !STILL.includes(name))).toEqual([])
    for (const route of still.filter(({ operation }) => !/^(logout|endSession|endProvider)/.test(operation))) {
      const answer = await gateway().send(lineOf(route))
      expect(isRefusal(answer.text), route.operation).toBe(false)
    }
  })

  test('refuses a job by its kind, and asks for credentials first', async () => {
    const start = async (kind: string) =>
      (await gateway().send('POST /api/v1/jobs', { body: { kind, namespace: 'x' } })).json()['code']
    expect(await Promise.all(['truncate', 'compaction', 'count', 'scan', 'scrub'].map(start))).toEqual([
      'server_read_only',
      'server_read_only',
      'namespace_not_found',
      'namespace_not_found',
      'namespace_not_found',
    ])
    const stranger = await gateway().send('DELETE /api/v1/namespaces/x', { anonymous: true })
    expect(stranger.json()).toMatchObject({ code: 'auth_required' })
  })

  test('answers what a dry run asks, and nothing that only looks like one', async () => {
    const { send } = gateway()
    const code = async (line: string, body?: object) => (await send(line, { ...(body && { body }) })).json()['code']
    const [drop, load] = ['DELETE /api/v1/namespaces/x', 'POST /api/v1/namespaces/x/import']
    expect(await code(`${drop}?dryRun=true`)).toBe('namespace_not_found')
    expect(await code(`${load}?set=s&key=id&dryRun=true`, {})).not.toBe('server_read_only')
    for (const query of ['dryRun=false', 'dryRun=True', 'dryRun=true&dryRun=false', 'dryrun=true', 'dryRun'])
      expect([query, await code(`${drop}?${query}`)]).toEqual([query, 'server_read_only'])
    // This one knows no dry run.
    expect(await code('DELETE /api/v1/namespaces/x/sets/s/records/k?dryRun=true')).toBe('server_read_only')
  })

  test('runs a batch of the compatible API that only reads', async () => {
    const key = { namespace: 'x', setName: 's', userKey: 'k' }
    const send = (items: object[]) => gateway().send('POST /v1/batch', { body: items })
    const [read, write] = [
      { type: 'READ', key, readAllBins: true },
      { type: 'DELETE', key },
    ]
    expect((await send([read])).status).toBe(200)
    const refused = await send([read, write])
    expect([refused.status, isRefusal(refused.text)]).toEqual([403, true])
  })

  test('says so in its status', async () => {
    expect(await gateway().ok('GET /api/v1/status')).toMatchObject({ readOnly: true, undoSeconds: 600 })
  })
})

describe('a reload', () => {
  const gateway = useGateway()

  test('makes a server read-only, and back', async () => {
    const { app, directory, send, ok } = gateway()
    await gateway().memoryNamespace('shop')
    const path = join(directory, 'own.json')
    const reload = (text: string) => {
      writeFileSync(path, text)
      const args = ['--data', directory, '--config', path]
      const told = reloadConfig(app, { args, environment: { TESSERA_LOG_LEVEL: 'silent' } })
      rmSync(path)
      return told
    }
    const record = '/api/v1/namespaces/shop/sets/s/records/1'
    await ok(`PUT ${record}`, { body: { a: 1 } })
    expect(reload('{"readOnly": true}')).toMatchObject({ changed: ['readOnly'] })
    const refused = await send(`PUT ${record}`, { body: { a: 2 } })
    expect(refused.json()).toMatchObject({ code: 'server_read_only' })
    expect(await ok(`GET ${record}`)).toMatchObject({ bins: { a: 1 } })
    reload('{}')
    await ok(`PUT ${record}`, { body: { a: 3 } })
    expect(reload('{"readOnly": "perhaps"}')).toMatchObject({ fault: expect.stringContaining('true, false') })
  })
})
