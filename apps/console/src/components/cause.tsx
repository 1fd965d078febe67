import { UserText } from './inline';

export function Cause({ text }: { text: string }) {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0)
    return (
      <p className="gr-cause">
        <UserText>{first}</UserText>
      </p>
    );
  return (
    <details>
      <summary>
        <UserText>{first}</UserText>
      </summary>
      <pre className="gr-cause gr-mono" tabIndex={0}>
        <UserText>{rest.join('\n')}</UserText>
      </pre>
    </details>
  );
}
