import { useQuery } from '@tanstack/react-query'
import { signInWaysQuery } from '../../api/access'
import { here } from '../../base-path'
import { t } from '../../language/text'

/** Leads to the provider of sign-in, if the server has one. It is a page of the server, not of the console. */
export function ProviderLink({ next }: { next: string }) {
  const { data } = useQuery(signInWaysQuery())
  if (data?.provider === undefined) return null
  const query = next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}`
  return (
    <a className="btn" href={here(`/login/oidc${query}`)}>
      {t('Sign in with {provider}', { provider: data.provider })}
    </a>
  )
}
