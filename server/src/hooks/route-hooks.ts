// Hooks that a plugin gives to a route beside those that the route has.
import type { RouteOptions } from 'fastify'

type RouteHook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend'

/** Adds a hook after the ones of the route; to be called in an `onRoute` hook. */
export function addRouteHook<Name extends RouteHook>(
  route: RouteOptions,
  name: Name,
  hook: Extract<RouteOptions[Name], (...args: never[]) => unknown>,
): void {
  Object.assign(route, { [name]: [route[name] ?? [], hook].flat() })
}
