import { Fieldset, Input, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { FormOrJson } from '../values/FormOrJson.js';

interface Props extends ComponentProps<typeof FormOrJson> {
  /** The errors of a response that no field of the form shows. */
  others: string | undefined;
}

/** The form of a policy of a definition, or its JSON. */
export function ConfigForm({ others, children, ...form }: Props) {
  return (
    <Fieldset legend={form.control.label}>
      <FormOrJson {...form}>
        <Text size="xs" c="dimmed">
          {form.control.description}
        </Text>
        {children}
        {others !== undefined && <Input.Error>{others}</Input.Error>}
      </FormOrJson>
    </Fieldset>
  );
}
