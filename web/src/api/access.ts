import { queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'
import type { LoginRequest, PasswordChange, UserPatch, UserSpec } from './types'

// Signing in, users and sessions: reads and changes, one function per route.

export const login = (body: LoginRequest) => call(api.createLogin, { body })

/** Key of what is known before anybody has signed in. */
export const SIGN_IN_WAYS = 'signInWays'

export const signInWaysQuery = () =>
  queryOptions({
    queryKey: [SIGN_IN_WAYS],
    queryFn: () => call(api.getSignInWays),
    staleTime: Infinity,
  })

export const logout = () => call(api.logout)

export const changePassword = (body: PasswordChange) => call(api.changePassword, { body })

export const beginSecondFactor = () => call(api.beginSecondFactor)

export const confirmSecondFactor = (code: string) => call(api.confirmSecondFactor, { body: { code } })

export const removeSecondFactor = () => call(api.removeSecondFactor)

export const removeUserSecondFactor = (name: string) => call(api.removeUserSecondFactor, { path: { name } })

export const usersQuery = () =>
  queryOptions({
    queryKey: ['users'],
    queryFn: () => call(api.listUsers, { query: { limit: 1000 } }),
  })

export const createUser = (body: UserSpec) => call(api.createUser, { body })

export const updateUser = (name: string, body: UserPatch) => call(api.updateUser, { path: { name }, body })

export const removeUser = (name: string) => call(api.removeUser, { path: { name } })

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: () => call(api.listSessions, { query: { limit: 1000 } }),
  })

export const endSession = (id: string) => call(api.endSession, { path: { id } })
