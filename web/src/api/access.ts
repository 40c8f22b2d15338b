import { queryOptions } from '@tanstack/react-query'
import { client, unwrap } from './client'
import type { LoginRequest, PasswordChange, UserPatch, UserSpec } from './types'

// Signing in, users and sessions: reads and changes, one function per route.

export const login = async (body: LoginRequest) => unwrap(await client.POST('/api/v1/auth/login', { body }))

/** Key of what is known before anybody has signed in. */
export const SIGN_IN_WAYS = 'signInWays'

export const signInWaysQuery = () =>
  queryOptions({
    queryKey: [SIGN_IN_WAYS],
    queryFn: async () => unwrap(await client.GET('/api/v1/auth/ways')),
    staleTime: Infinity,
  })

export const logout = async () => unwrap(await client.POST('/api/v1/auth/logout', {}))

export const changePassword = async (body: PasswordChange) =>
  unwrap(await client.POST('/api/v1/auth/password', { body }))

export const usersQuery = () =>
  queryOptions({
    queryKey: ['users'],
    queryFn: async () => unwrap(await client.GET('/api/v1/users', { params: { query: { limit: 1000 } } })),
  })

export const createUser = async (body: UserSpec) => unwrap(await client.POST('/api/v1/users', { body }))

export const updateUser = async (name: string, body: UserPatch) =>
  unwrap(await client.PATCH('/api/v1/users/{name}', { params: { path: { name } }, body }))

export const removeUser = async (name: string) =>
  unwrap(await client.DELETE('/api/v1/users/{name}', { params: { path: { name } } }))

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async () => unwrap(await client.GET('/api/v1/sessions', { params: { query: { limit: 1000 } } })),
  })

export const endSession = async (id: string) =>
  unwrap(await client.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }))
