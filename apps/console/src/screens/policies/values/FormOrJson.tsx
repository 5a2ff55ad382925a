import { Button, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { INVALID_VALUE, type ControlProps } from '../../../components/fields.js';
import { JsonField } from '../../../components/JsonField.js';

interface Props {
  control: ControlProps;
  /** Whether the fields can show the value: what they cannot show would be lost. */
  isFit: boolean;
  /** The description of the JSON. */
  description: string;
  /** The labels of the button that changes to the fields, and of the one that changes to JSON. */
  toForm: string;
  toJson: string;
  /** The fields. */
  children: ReactNode;
}

/** The fields of a value, or its JSON if they cannot show all of it. */
export function FormOrJson({ control, isFit, description, toForm, toJson, children }: Props) {
  const [prefersJson, setPrefersJson] = useState(false);
  const isJson = prefersJson || !isFit;
  return (
    <Stack gap="sm">
      {isJson ? (
        <JsonField
          {...control}
          description={description}
          onChange={(next) => {
            // A text that is not valid JSON yet stays in the editor.
            setPrefersJson(true);
            control.onChange(next);
          }}
        />
      ) : (
        children
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        w="fit-content"
        disabled={isJson ? !isFit : control.value === INVALID_VALUE}
        onClick={() => setPrefersJson(!isJson)}
      >
        {isJson ? toForm : toJson}
      </Button>
    </Stack>
  );
}
