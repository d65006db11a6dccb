/* SPDX-License-Identifier: MIT */
/*
 * Both: what was compiled with an old header, and with another.
 */
void old_work(int n);
void new_work(int n);

int main(void)
{
	old_work(7);
	new_work(5);
	return 0;
}
