import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries'

/** Which instance this is: where it listens and its environment. */
export function InstanceChip() {
  const { data } = useQuery(statusQuery())
  if (data === undefined) return <span className="chip wide-only">{location.host}</span>
  const tone = data.environment === 'production' ? 'bad' : data.environment === 'staging' ? 'warn' : ''
  return (
    <span className={`chip wide-only ${tone}`} title={data.dataDirectory}>
      {location.host} · {data.environment}
    </span>
  )
}
