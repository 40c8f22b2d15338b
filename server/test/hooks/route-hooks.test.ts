import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { addRouteHook } from '../../src/hooks/route-hooks.js'

test('hooks of plugins run after those of the route, and none replaces another', async () => {
  const app = Fastify()
  const ran: string[] = []
  const hook = (name: string) => (_request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    ran.push(name)
    done()
  }
  app.addHook('onRoute', (route) => {
    addRouteHook(route, 'preHandler', hook('first plugin'))
    addRouteHook(route, 'preHandler', hook('second plugin'))
  })
  app.get('/one', { preHandler: hook('route') }, () => 'one')
  app.get('/list', { preHandler: [hook('a'), hook('b')] }, () => 'list')
  app.get('/none', () => 'none')

  await app.inject('/one')
  await app.inject('/list')
  await app.inject('/none')

  const plugins = ['first plugin', 'second plugin']
  expect(ran).toEqual(['route', ...plugins, 'a', 'b', ...plugins, ...plugins])
  await app.close()
})
