import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { useStatusPart } from '../../components/use-status'
import { Account } from './Account'
import { squares } from './brand'
import { LanguageSwitch } from './LanguageSwitch'
import { useNavItems } from './use-nav-items'
import { t } from '../../language/text'

/** The left navigation; the drawer of narrow screens shows the same. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav className="nav" aria-label={t('Pages')}>
      <Link to="/" className="brand" onClick={onNavigate}>
        <svg viewBox="0 0 16 16" aria-hidden="true" fill="var(--fill-accent)">
          {squares.map((square) => (
            <rect key={`${square.x} ${square.y}`} width="6" height="6" rx="1" {...square} />
          ))}
        </svg>
        {t('Tessera')}
      </Link>
      {useNavItems().map(({ group, items }) => (
        <div key={group ?? 'top'}>
          {group !== undefined && <h2>{group}</h2>}
          <ul>
            {items.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === '/' }} onClick={onNavigate}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="end">
        <Who />
        <Languages />
        <Instance />
      </div>
    </nav>
  )
}

// They have menus and tips, and nothing in them changes with the navigation.
const Who = memo(Account)
const Languages = memo(LanguageSwitch)

function Instance() {
  const instance = useStatusPart(({ environment, version }) => `${environment} · ${version}`)
  return (
    <p className="instance">
      {location.host}
      <br />
      {instance}
    </p>
  )
}
