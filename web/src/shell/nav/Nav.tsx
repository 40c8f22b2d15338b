import { Link } from '@tanstack/react-router'
import { useStatusPart } from '../../components/use-status'
import { Account } from './Account'
import { squares } from './brand'
import { LanguageSwitch } from './LanguageSwitch'
import { useNavItems } from './use-nav-items'
import { t } from '../../language/text'

/** The left navigation; the drawer of narrow screens shows the same. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const instance = useStatusPart(({ environment, version }) => `${environment} · ${version}`)
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
        <Account />
        <LanguageSwitch />
        <p className="instance">
          {location.host}
          <br />
          {instance}
        </p>
      </div>
    </nav>
  )
}
