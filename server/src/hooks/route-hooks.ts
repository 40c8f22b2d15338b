// Hooks that a plugin gives to a route beside those that the route has.
import type { RouteOptions } from 'fastify'

type RouteHook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend'

/** Adds a hook after the ones of the route, or before them; to be called in an `onRoute` hook. */
export function addRouteHook<Name extends RouteHook>(
  route: RouteOptions,
  name: Name,
  hook: Extract<RouteOptions[Name], (...args: never[]) => unknown>,
  place: 'first' | 'last' = 'last',
): void {
  const others = route[name] ?? []
  Object.assign(route, { [name]: (place === 'first' ? [hook, others] : [others, hook]).flat() })
}
