// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title Reward token of boxes and lootboxes
/// @notice Has eighteen decimals. Only the owner can mint, up to a total of `cap`. Renouncing ownership makes
/// the supply final.
contract RewardToken is ERC20Capped, ERC20Permit, Ownable2Step {
    constructor(address owner_, uint256 cap_)
        ERC20("Fairhouse Reward", "FHR")
        ERC20Permit("Fairhouse Reward")
        ERC20Capped(cap_)
        Ownable(owner_)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 amount) internal override(ERC20, ERC20Capped) {
        super._update(from, to, amount);
    }
}
