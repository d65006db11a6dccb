# SPDX-License-Identifier: MIT
# Completion of regionstat(1) in bash. It gets options, events, metrics and profiles from
# `regionstat list`.

# Print a line "OPTION ARGUMENT VALUES" for each option of verb $2. ARGUMENT is "-" for a flag,
# WORD, or =WORD if it may be omitted. VALUES are words separated by commas, or "-".
__regionstat_options()
{
	local option letter argument bare kind values range default key verbs rest
	while read -r option letter argument bare kind values range default key verbs rest; do
		[[ ,$verbs, == *",$2,"* ]] || continue
		[[ $bare == - ]] || argument="=$argument"
		[[ $letter == - ]] || echo "$letter $argument $values"
		echo "--$option $argument $values"
	done < <("$1" list options 2>/dev/null)
}

# Print the names in the first column of a list.
__regionstat_names()
{
	"$@" 2>/dev/null | sed -n 's/^ *\([^ ][^ ]*\)\(  .*\)\{0,1\}$/\1/p' | sed '/:$/d'
}

# Print the possible values of option $2. $3: its ARGUMENT; $4: its VALUES.
__regionstat_values()
{
	case $2:$3 in
	--profile:*) __regionstat_names "$1" list "${config[@]}" profiles ;;
	*:EVENT | *:REGION*EVENT*) __regionstat_names "$1" list --countable ;;
	-M:* | --metrics:*) __regionstat_names "$1" list "${config[@]}" metrics ;;
	*) tr , '\n' <<<"${4#-}" ;;
	esac
}

# Add to COMPREPLY the words in $2 that complete $1. Complete only the part of $1 after the last
# comma or brace. $3: the ARGUMENT; if it is REGION:EVENT, complete the event after the colon.
__regionstat_reply()
{
	local before='' part=$1 word IFS=$'\n'
	case $3:$1 in
	REGION*EVENT*:*:*) part=${1##*:} ;;
	REGION*) return ;;
	*[,{]*) part=${1##*[,\{]} ;;
	esac
	before=${1%"$part"}
	for word in $2; do
		[[ $word == "$part"* ]] && COMPREPLY+=("$before$word")
	done
}

_regionstat()
{
	local line=${COMP_LINE:0:COMP_POINT} command=$1 verb='' options word option='' argument='' values=''
	local cur i=1
	local -a words config=()
	COMPREPLY=()
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	cur=${words[${#words[@]} - 1]}
	case ${words[1]} in
	run | list | report | compare | diff | merge | attach | live)
		if ((${#words[@]} > 2)); then
			verb=${words[1]} i=2
		fi ;;
	esac
	options=$(__regionstat_options "$command" "$([[ $verb == attach ]] && echo run || echo "${verb:-run}")")
	# find the option whose value is completed, and the word where the program begins
	for (( ; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ $option == @(-c|--config) || $word == --config=* ]]; then
			config=(-c "${word#--config=}") option=''
		elif [[ -n $option ]]; then
			option=''
		elif [[ $word == -- || $word != -* ]] && [[ ! $verb =~ ^(list|report|diff|merge|attach|live)$ ]]; then
			[[ $word == -- ]] && ((i++))
			if declare -F _command_offset >/dev/null; then
				# bash splits words in its own way: find the program among bash's words
				local offset=0
				while ((offset < COMP_CWORD)) && [[ ${COMP_WORDS[offset]} != "${words[i]}" ]]; do
					((offset++))
				done
				((offset > 0)) && _command_offset "$offset"
			elif ((i == ${#words[@]} - 1)); then
				COMPREPLY=($(compgen -c -- "$cur"))
			else
				compopt -o default 2>/dev/null
			fi
			return
		elif [[ $word == -* ]] && grep -q -x -e "$word [A-Z[].*" <<<"$options"; then
			option=$word
		fi
	done
	if [[ $cur == --*=* && -z $option ]]; then
		option=${cur%%=*} cur=${cur#*=}
	fi
	if [[ -n $option ]]; then
		read -r argument values <<<"$(sed -n "s/^$option =\{0,1\}//p" <<<"$options" | head -n 1)"
		if [[ $argument == FILE ]]; then
			compopt -o filenames 2>/dev/null
			COMPREPLY=($(compgen -f -- "$cur"))
			return
		fi
		compopt -o nospace 2>/dev/null
		__regionstat_reply "$cur" "$(__regionstat_values "$command" "$option" "$argument" "$values")" \
			"${argument//[\[\]]/}"
	elif [[ $cur == -* ]]; then
		__regionstat_reply "$cur" "$(sed 's/ .*//' <<<"$options")"
	elif [[ $verb == list && " ${words[*]:2:${#words[@]} - 3} " == *' metrics '* ]]; then
		__regionstat_reply "$cur" "$(__regionstat_names "$command" list metrics)"
	elif [[ $verb == list ]]; then
		__regionstat_reply "$cur" "$(__regionstat_names "$command" list; printf '%s\n' profiles metrics options columns findings)"
	elif [[ $verb == @(attach|live) ]]; then
		__regionstat_reply "$cur" "$(ps -u "$UID" -o pid= | tr -d ' ')"
	elif [[ $verb =~ ^(report|diff|merge)$ ]]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "$cur"))
		return
	else
		[[ -z $verb ]] && __regionstat_reply "$cur" $'run\nlist\nreport\ncompare\ndiff\nmerge\nattach\nlive'
		COMPREPLY+=($(compgen -c -- "$cur"))
		return
	fi
	# bash replaces only the text after the last of its own word breaks
	if [[ ${words[${#words[@]} - 1]} == *[:=]* && $COMP_WORDBREAKS == *[:=]* ]]; then
		local whole=${cur%"${cur##*[:=]}"}
		COMPREPLY=("${COMPREPLY[@]#"$whole"}")
	fi
}

complete -F _regionstat regionstat
