// What operators and their tools read.
import { describe, expect, test } from 'vitest'
import { errorTable } from '../../src/error-table.js'
import { useGateway } from '../gateway.js'

describe('status', () => {
  const gateway = useGateway()

  test('says who it is and how it does', async () => {
    const asked = Date.now()
    const status = await gateway().ok<{ uptimeSeconds: number; startedAt: string; io: object }>('GET /api/v1/status')
    expect(status).toMatchObject({
      engine: 'native',
      environment: 'development',
      healthy: true,
      health: 'Healthy',
      namespaces: 0,
    })
    const answered = Date.parse(status.startedAt) + status.uptimeSeconds * 1000
    expect([answered >= asked - 1, answered <= Date.now() + 1]).toEqual([true, true])
    expect(status.io).toEqual({
      backend: expect.stringMatching(/^(io_uring|threads)$/),
      reason: expect.stringMatching(/./),
    })
  })

  test('is ready', async () => {
    expect(await gateway().ok('GET /readyz')).toEqual({ ready: true, state: 'ready', reasons: [], progress: [] })
    expect(await gateway().ok('GET /healthz')).toEqual({ status: 'ok' })
  })

  test('ids of requests come back', async () => {
    const { send } = gateway()
    expect((await send('GET /healthz', { headers: { 'x-request-id': 'mine-1' } })).headers['x-request-id']).toBe(
      'mine-1',
    )
    const made = (await send('GET /healthz', { headers: { 'x-request-id': 'no spaces please' } })).headers[
      'x-request-id'
    ]
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
  })

  test('errors carry the id too', async () => {
    const answer = await gateway().send('GET /api/v1/jobs/none', { headers: { 'x-request-id': 'mine-2' } })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json()).toMatchObject({ requestId: 'mine-2', instance: '/api/v1/jobs/none', code: 'job_not_found' })
  })

  test('Prometheus reads histograms and gauges', async () => {
    await gateway().memoryNamespace('prom')
    await gateway().put('prom/sets/s/records/1', { a: 1 })
    const { app, send } = gateway()
    await new Promise<void>((resolve) => {
      const stop = app.live.listen((frame) => {
        if (frame.latency.some(({ namespace }) => namespace === 'prom')) {
          stop()
          resolve()
        }
      })
    })
    const { text } = await send('GET /metrics')
    expect(text).toContain('tessera_records{namespace="prom"} 1')
    expect(text).toMatch(
      /tessera_operation_seconds_bucket\{namespace="prom",op="put",outcome="ok",side="gateway",le="\+Inf"\} 1/,
    )
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{[^{}]*\})? [-+.e\d]+)$/)
    const history = await gateway().ok<{ items: object[] }>('GET /api/v1/metrics/history?step=1s&namespace=prom')
    expect(history.items.length).toBeGreaterThan(0)
    await gateway().ok('DELETE /api/v1/namespaces/prom')
    expect((await send('GET /metrics')).text).not.toContain('"prom"')
  })
})

test('every code of the core has a status', async () => {
  const { errorCodes } = await import('@tessera/native')
  expect(errorCodes.filter((code) => !Object.hasOwn(errorTable, code))).toEqual([])
})
