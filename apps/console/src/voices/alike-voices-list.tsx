import { AccountName, VoiceName } from '../components/account-name';
import { Time } from '../components/time';

interface AlikeVoice {
  voice_id: string;
  name: string;
  account: { id: string; name: string | null };
  created_at: string;
  /** How much it is like the voice in question. */
  similarity: string;
}

/** Voices that are like another one in some way. */
export function AlikeVoicesList({ label, voices }: { label: string; voices: AlikeVoice[] }) {
  return (
    <ul className="gr-evidence" aria-label={label}>
      {voices.map(({ voice_id: id, name, account, created_at: at, similarity }) => (
        <li key={id}>
          <VoiceName id={id} name={name} />
          <b>{similarity}</b>
          <div className="gr-dimmed gr-small">
            <AccountName account={account} />, <Time at={at} />
          </div>
        </li>
      ))}
    </ul>
  );
}
