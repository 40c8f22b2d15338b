// A running gateway takes over what can change, and keeps the rest until a restart.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reloadConfig } from '../../src/config/reload.js'
import { useGateway } from '../gateway.js'

describe('a reload', () => {
  const gateway = useGateway()

  const reload = (text: string) => {
    const { app, directory } = gateway()
    const path = join(directory, 'own.json')
    writeFileSync(path, text)
    const args = ['--data', directory, '--config', path]
    const told = reloadConfig(app, { args, environment: { TESSERA_LOG_LEVEL: 'silent' } })
    rmSync(path)
    return told
  }
  const status = (headers: Record<string, string>) => gateway().send('GET /api/v1/auth/me', { headers })

  test('changes the names of the server, and back', async () => {
    expect((await status({ host: 'other.example.com' })).status).toBe(200)
    expect(reload('{"hosts": ["db.example.com"]}')).toMatchObject({ changed: ['hosts'] })
    expect((await status({ host: 'other.example.com' })).json()).toMatchObject({ code: 'host_refused' })
    expect((await status({ host: 'db.example.com' })).status).toBe(200)
    reload('{}')
    expect((await status({ host: 'other.example.com' })).status).toBe(200)
  })

  test('changes whom headers of proxies are believed from', async () => {
    reload('{"hosts": ["db.example.com", "localhost"]}')
    const forwarded = { host: 'localhost', 'x-forwarded-host': 'other.example.com' }
    expect((await status(forwarded)).status).toBe(200)
    reload('{"hosts": ["db.example.com", "localhost"], "trustedProxies": ["127.0.0.0/8"]}')
    expect((await status(forwarded)).json()).toMatchObject({ code: 'host_refused' })
    reload('{}')
  })

  test('changes when requests are refused', () => {
    reload('{"overloadDelay": "20ms"}')
    const { admission } = gateway().app.gate
    for (let at = 0; at < 20; at++) admission.sample(40, at * 25)
    expect(admission.shedding).toBe(true)
    reload('{"overloadDelay": "0ms"}')
    expect(admission.shedding).toBe(false)
    reload('{}')
  })

  test('changes whether destructive calls are confirmed', async () => {
    await gateway().memoryNamespace('shop')
    reload('{"environment": "production"}')
    const refused = await gateway().send('DELETE /api/v1/namespaces/shop')
    expect(refused.json()).toMatchObject({ code: 'confirm_required' })
    reload('{}')
    expect((await gateway().send('DELETE /api/v1/namespaces/shop')).status).toBeLessThan(300)
  })

  test('names what needs a restart, and leaves it', () => {
    const before = gateway().app.config.port
    const told = reload('{"port": 7999, "streams": 3}')
    expect(told).toMatchObject({ changed: ['streams'], needRestart: expect.arrayContaining(['port']) as string[] })
    expect(gateway().app.config).toMatchObject({ port: before, streamsMax: 3 })
    reload('{}')
  })

  test('of a wrong file changes nothing and says why', () => {
    const before = { ...gateway().app.config }
    const told = reload('{\n"streams": 3,\n"hosts": ["a b"]}')
    expect(told).toMatchObject({ fault: expect.stringMatching(/:3: hosts must be host names/) as string })
    expect(gateway().app.config).toEqual(before)
  })
})
