import { Group, Text } from '@mantine/core';

export function Logo() {
  return (
    <Group gap={8} wrap="nowrap">
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="8" fill="#0b5d43" />
        <path
          d="M7 13.5v5M11.5 9.5v13M16 12v8M20.5 7.5v17M25 13.5v5"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
        />
      </svg>
      <Text fw={600} size="lg" component="span">
        Greenroom
      </Text>
    </Group>
  );
}
