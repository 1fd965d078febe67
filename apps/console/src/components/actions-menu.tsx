import { startTransition, useRef } from 'react';
import { Button, Menu, type ButtonProps } from '@mantine/core';
import { labelOf, OpenAction, shownOf, type ActionsProps } from './row-actions';
import { useRequestedAction } from './use-requested-action';

/**
 * What can be done with the object of a screen, or of a row, in a menu; with `leads`, the first is a button beside it. With `links`,
 * a link opens its dialogs, too.
 */
export function ActionsMenu(
  props: ActionsProps & ButtonProps & { 'aria-label'?: string; links?: boolean; leads?: boolean },
) {
  const { of, actions, links = true, leads = false, ...button } = props;
  const names = Object.keys(actions).filter((each) => !('onPick' in actions[each]!));
  const [name, open, begin] = useRequestedAction(links ? names : []);
  const shown = shownOf(actions);
  const target = useRef<HTMLButtonElement>(null);
  const [first] = leads ? shown.splice(0, 1) : [];
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button ref={target} variant="default" {...button}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {shown.map(([each, action]) => (
            <Menu.Item
              key={each}
              disabled={action.isDisabled}
              onClick={() => {
                // The menu closes first: to draw a dialog takes longer, and it returns the focus to what has it then.
                target.current?.focus();
                startTransition(() => ('onPick' in action ? action.onPick() : open(each)));
              }}
            >
              {labelOf(action)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {first && <Button onClick={() => open(first[0])}>{labelOf(first[1])}</Button>}
      <OpenAction {...{ of, actions, name, begin }} onClose={() => open(null)} />
    </>
  );
}
