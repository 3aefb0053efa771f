// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {BoxNft} from "./BoxNft.sol";

/// @title Payer of box prizes
/// @notice Holds reward tokens and pays the prize of each opened box once, to its owner at that time.
/// Before accepting a box from someone else, check here whether its prize has been paid. BoxNft deploys this
/// contract.
///
/// Trust: the tokens held always cover the unpaid prizes of all opened boxes and the top prizes of all closed
/// ones, because BoxNft sells a box only while the leftover covers its top prize, and the owner can withdraw
/// only the leftover. This requires a token whose transfers move exactly the amount, and whose balances change
/// in no other way.
contract Award is Ownable2Step {
    using SafeERC20 for IERC20;

    BoxNft public immutable BOXES;
    IERC20 public immutable TOKEN;

    /// @notice The sum of all prizes paid so far.
    uint256 public paid;

    mapping(bytes32 nonce => bool) public isClaimed;
    mapping(address wallet => uint256) public claimedBy;

    event Claimed(uint256 indexed boxId, address indexed owner, uint256 prize, bytes32 nonce);
    event Withdrawn(address indexed to, uint256 amount);

    error ZeroAddress();
    error NotOpened(uint256 boxId);
    error WrongNonce(bytes32 expected);
    error AlreadyClaimed(bytes32 nonce);
    error AboveLeftover(uint256 available);
    error NeedsOwner();

    constructor(address owner_, IERC20 token) Ownable(owner_) {
        require(address(token) != address(0), ZeroAddress());
        (BOXES, TOKEN) = (BoxNft(msg.sender), token);
    }

    /// @notice Pays a box's prize to its owner. Anyone can call this.
    function claim(uint256 boxId, bytes32 nonce) external {
        BoxNft.Box memory box = BOXES.box(boxId);
        require(box.isOpened, NotOpened(boxId));
        require(nonce == box.nonce, WrongNonce(box.nonce));
        require(!isClaimed[nonce], AlreadyClaimed(nonce));
        isClaimed[nonce] = true;
        claimedBy[box.owner]++;
        paid += box.prize;
        emit Claimed(boxId, box.owner, box.prize, nonce);
        TOKEN.safeTransfer(box.owner, box.prize);
    }

    /// @notice Withdraws tokens that no box can win. The prizes of all opened boxes and the top prizes of all
    /// closed ones, less the prizes paid, must stay.
    function withdraw(address to, uint256 amount) external onlyOwner {
        require(to != address(0), ZeroAddress());
        uint256 available = leftover();
        require(amount <= available, AboveLeftover(available));
        emit Withdrawn(to, amount);
        TOKEN.safeTransfer(to, amount);
    }

    /// @notice Always reverts: without an owner, nobody could withdraw the leftover.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice Returns the most that the boxes sold so far can still claim.
    function owed() public view returns (uint256) {
        return BOXES.prizesPromised() - paid;
    }

    /// @notice Returns the tokens that no box sold so far can win.
    function leftover() public view returns (uint256) {
        return TOKEN.balanceOf(address(this)) - owed();
    }

    /// @notice Returns a page of a wallet's boxes, as in BoxNft, and whether each one's prize has been paid.
    function boxesOf(address wallet, uint256 from, uint256 count)
        external
        view
        returns (BoxNft.Box[] memory boxes, bool[] memory areClaimed)
    {
        boxes = BOXES.boxesOf(wallet, from, count);
        areClaimed = new bool[](boxes.length);
        for (uint256 i = 0; i < boxes.length; i++) areClaimed[i] = isClaimed[boxes[i].nonce];
    }

    /// @notice Returns how many boxes a wallet bought, how many it owned when they were opened, and how many
    /// prizes it was paid.
    function totalsOf(address wallet) external view returns (uint256 bought, uint256 opened, uint256 claimed) {
        return (BOXES.boughtBy(wallet), BOXES.openedBy(wallet), claimedBy[wallet]);
    }
}
